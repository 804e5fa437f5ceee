import type { Database, Trx } from '../../platform/database/tables.ts';
import {
  BEFORE_ALL,
  findStray,
  type LinkWithRecord,
  listLinks,
  listMarks,
  type Mark,
} from './audit-chain.repository.ts';
import { type AuditHashes, NO_HASH } from './audit-hashes.ts';

const PAGE_SIZE = 1000;

const PROBLEMS = {
  record_changed: 'it was changed after it was sealed',
  record_removed: 'it was removed',
  record_forged: 'no panel wrote it like this: it was slipped in, or changed before it was sealed',
  not_in_chain: 'it is not in the chain: it was slipped in, or its link was removed',
  link_changed: 'its link in the chain was changed',
  link_missing: 'what came before it in the chain was removed',
  chain_remade: 'the chain before it is not the one it was written after: something was taken out',
} as const;

export type BrokenRecord = {
  record_id: number;
  /** Its number in the chain. Null: it has none. */
  seq: number | null;
  problem: keyof typeof PROBLEMS;
  message: string;
};

export type ChainWalk = {
  /** How many links are right, up to the first that is not. */
  records: number;
  /** The hash of the last of them. Null: there is none. */
  head: string | null;
  /** False: there may be more links. */
  isComplete: boolean;
  foundExpectedHead: boolean;
  broken: BrokenRecord | null;
};

type WalkOptions = {
  /** Where to go on from. Default: before the first link. */
  after?: Pick<ChainWalk, 'records' | 'head'>;
  /** How many pages to read at most. Default: all there are. */
  pages?: number;
  expectedHead?: string | undefined;
  onLink?(link: LinkWithRecord): void;
};

/** From link to link to the last, or to the first that is not right. */
export async function walkChain(
  db: Database,
  hashes: AuditHashes,
  { after, pages = Number.POSITIVE_INFINITY, expectedHead, onLink }: WalkOptions = {},
): Promise<ChainWalk> {
  const start = after ?? { records: 0, head: null };
  const walk: ChainWalk = { ...start, isComplete: false, foundExpectedHead: false, broken: null };
  for (let page = 0; page < pages; page++) {
    const links = await listLinks(db, walk.records || BEFORE_ALL, PAGE_SIZE);
    for (const link of links) {
      const problem = problemOfLink(link, walk, hashes);
      if (problem) return { ...walk, broken: describe(link.record_id, link.seq, problem) };
      walk.records = link.seq;
      walk.head = link.hash;
      walk.foundExpectedHead ||= link.hash === expectedHead;
      onLink?.(link);
    }
    if (links.length < PAGE_SIZE) return { ...walk, isComplete: true };
  }
  return walk;
}

function problemOfLink(
  link: LinkWithRecord,
  before: ChainWalk,
  hashes: AuditHashes,
): BrokenRecord['problem'] | null {
  const { record } = link;
  if (link.seq !== before.records + 1) return 'link_missing';
  if (link.hash !== hashes.ofLink(link)) return 'link_changed';
  if (link.previous_hash !== (before.head ?? NO_HASH)) return 'chain_remade';
  if (record === null) return 'record_removed';
  if (link.record_hash !== hashes.ofRecord(record)) return 'record_changed';
  return record.previous_hash === link.named_hash ? null : 'chain_remade';
}

/** What is not in the chain: records on their way there are in order, all others are not. */
export async function checkUnsealed(
  trx: Trx,
  hashes: AuditHashes,
  chainIsEmpty: boolean,
): Promise<{ unsealed: number; broken: BrokenRecord | null }> {
  const stray = strayRecord(await findStray(trx));
  const { unsealed, broken } = await checkMarks(trx, hashes, chainIsEmpty);
  return { unsealed, broken: firstOf(stray, broken) };
}

export async function checkMarks(
  db: Database,
  hashes: AuditHashes,
  chainIsEmpty: boolean,
): Promise<{ unsealed: number; broken: BrokenRecord | null }> {
  let unsealed = 0;
  for (let afterId = BEFORE_ALL; ; ) {
    const marks = await listMarks(db, afterId, PAGE_SIZE);
    for (const mark of marks) {
      const problem = problemOfMark(mark, hashes, chainIsEmpty);
      afterId = mark.record_id;
      if (problem) return { unsealed, broken: describe(afterId, null, problem) };
      if (!mark.is_sealed) unsealed++;
    }
    if (marks.length < PAGE_SIZE) return { unsealed, broken: null };
  }
}

export function strayRecord(recordId: number | null): BrokenRecord | null {
  return recordId === null ? null : describe(recordId, null, 'not_in_chain');
}

/** Whether a sealer may take the record that is marked. */
export function problemOfMark(
  { record, record_hash, is_sealed }: Mark,
  hashes: AuditHashes,
  chainIsEmpty: boolean,
): BrokenRecord['problem'] | null {
  // Whatever became of a record that is in the chain, its link tells.
  if (is_sealed) return null;
  if (record === null) return 'record_removed';
  if (record_hash === null) return chainIsEmpty ? null : 'record_forged';
  return record_hash === hashes.ofRecord(record) ? null : 'record_forged';
}

export function firstOf(...broken: (BrokenRecord | null)[]): BrokenRecord | null {
  return (
    broken.filter((each) => each !== null).toSorted((a, b) => a.record_id - b.record_id)[0] ?? null
  );
}

function describe(
  recordId: number,
  seq: number | null,
  problem: BrokenRecord['problem'],
): BrokenRecord {
  const message = `Record ${recordId} of the audit log is not right: ${PROBLEMS[problem]}.`;
  return { record_id: recordId, seq, problem, message };
}
