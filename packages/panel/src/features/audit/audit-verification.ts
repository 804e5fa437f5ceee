import type { Database, Trx } from '../../platform/database/handles.ts';
import {
  findRepeatedId,
  findStrayRecord,
  type LinkWithRecord,
  LOWEST_NUMBER,
  listLinks,
  listMarks,
  type Mark,
} from './audit-chain.repository.ts';
import { type AuditHashes, NO_HASH } from './audit-hashes.ts';
import { type DetachedRecords, readDetachedRecords } from './detached-records.ts';

const PAGE_SIZE = 1000;

const PROBLEMS = {
  record_changed: 'it was changed after it was sealed',
  record_removed: 'it was removed',
  record_forged: 'it was inserted outside Steward, or changed before it was sealed',
  not_in_chain:
    'it is not in the hash chain; it was inserted outside Steward, or its link was removed',
  id_repeated: 'several records have this id; all but one were inserted outside Steward',
  link_changed: 'its link in the hash chain was changed',
  link_missing: 'links before it were removed from the hash chain',
  checkpoint_changed: 'it was changed or inserted outside Steward',
  chain_remade: 'the part of the hash chain before this record was rewritten; records were removed',
} as const;

export type BrokenRecord = {
  record_id: number;
  /** Number of its link. Null: the record is not in the chain. */
  seq: number | null;
  problem: keyof typeof PROBLEMS;
  message: string;
};

export type ChainWalk = {
  /** Number of valid links, up to the first broken one. */
  records: number;
  /** Hash of the last valid link. Null: the chain is empty. */
  head: string | null;
  /** False: more links may follow. */
  isComplete: boolean;
  foundExpectedHead: boolean;
  broken: BrokenRecord | null;
};

type WalkOptions = {
  /** Where to continue. Default: before the first link. */
  after?: Pick<ChainWalk, 'records' | 'head'>;
  /** Maximum number of pages to read. Default: all. */
  pages?: number;
  expectedHead?: string | undefined;
  onLink?(link: LinkWithRecord): unknown;
};

/** Verifies link after link, up to the last one or the first broken one. */
export async function walkChain(
  db: Database,
  hashes: AuditHashes,
  { after, pages = Number.POSITIVE_INFINITY, expectedHead, onLink }: WalkOptions = {},
): Promise<ChainWalk> {
  const start = after ?? { records: 0, head: null };
  const walk: ChainWalk = { ...start, isComplete: false, foundExpectedHead: false, broken: null };
  for (let page = 0; page < pages; page++) {
    const links = await listLinks(db, walk.records || LOWEST_NUMBER, PAGE_SIZE);
    // After the links: records that are detached in between must not look removed.
    const detached = await readDetachedRecords(db, hashes);
    if (detached.invalidCheckpoint !== null) {
      return { ...walk, broken: describeCheckpoint(detached.invalidCheckpoint) };
    }
    for (const link of links) {
      const problem = findLinkProblem(link, walk, hashes, detached);
      if (problem) return { ...walk, broken: describeBroken(link.record_id, link.seq, problem) };
      walk.records = link.seq;
      walk.head = link.hash;
      walk.foundExpectedHead ||= link.hash === expectedHead;
      await onLink?.(link);
    }
    if (links.length < PAGE_SIZE) return { ...walk, isComplete: true };
  }
  return walk;
}

function findLinkProblem(
  link: LinkWithRecord,
  verified: ChainWalk,
  hashes: AuditHashes,
  detached: DetachedRecords,
): BrokenRecord['problem'] | null {
  const { record } = link;
  if (link.seq !== verified.records + 1) return 'link_missing';
  if (link.hash !== hashes.hashLink(link)) return 'link_changed';
  if (link.previous_hash !== (verified.head ?? NO_HASH)) return 'chain_remade';
  if (!detached.isExpected(link)) return 'chain_remade';
  if (record === null) return detached.includes(link.seq) ? null : 'record_removed';
  if (link.record_hash !== hashes.hashRecord(record)) return 'record_changed';
  return record.previous_hash === link.hash_of_link_named_by_record ? null : 'chain_remade';
}

/** Checks the records outside the chain. A record with a valid mark waits for the sealer; any other one is broken. */
export async function checkUnsealed(
  trx: Trx,
  hashes: AuditHashes,
  acceptsRecordsOlderThanChain: boolean,
): Promise<{ unsealed: number; broken: BrokenRecord | null }> {
  const foreign = await findForeignRecord(trx);
  const { unsealed, broken } = await checkMarks(trx, hashes, acceptsRecordsOlderThanChain);
  return { unsealed, broken: selectFirstBroken(foreign, broken) };
}

export async function checkMarks(
  db: Database,
  hashes: AuditHashes,
  acceptsRecordsOlderThanChain: boolean,
): Promise<{ unsealed: number; broken: BrokenRecord | null }> {
  let unsealed = 0;
  for (let afterId = LOWEST_NUMBER; ; ) {
    const marks = await listMarks(db, afterId, PAGE_SIZE);
    for (const mark of marks) {
      const problem = findMarkProblem(mark, hashes, acceptsRecordsOlderThanChain);
      afterId = mark.record_id;
      if (problem) return { unsealed, broken: describeBroken(afterId, null, problem) };
      if (!mark.is_sealed) unsealed++;
    }
    if (marks.length < PAGE_SIZE) return { unsealed, broken: null };
  }
}

/** Finds the first record that is a stray record or has the id of another record. */
export async function findForeignRecord(
  db: Database,
  range?: { after: number; upTo: number },
): Promise<BrokenRecord | null> {
  const stray = await findStrayRecord(db, range);
  const repeated = await findRepeatedId(db, range);
  return selectFirstBroken(
    stray === null ? null : describeBroken(stray, null, 'not_in_chain'),
    repeated === null ? null : describeBroken(repeated, null, 'id_repeated'),
  );
}

/**
 * Null: the mark is valid. The sealer appends its record, or only removes the mark if the record is already in the
 * chain.
 */
export function findMarkProblem(
  { record, record_hash, is_sealed }: Mark,
  hashes: AuditHashes,
  acceptsRecordsOlderThanChain: boolean,
): BrokenRecord['problem'] | null {
  // findLinkProblem checks sealed records.
  if (is_sealed) return null;
  if (record === null) return 'record_removed';
  // Null: the record is older than the hash chain.
  if (record_hash === null) return acceptsRecordsOlderThanChain ? null : 'record_forged';
  return record_hash === hashes.hashRecord(record) ? null : 'record_forged';
}

export function selectFirstBroken(...broken: (BrokenRecord | null)[]): BrokenRecord | null {
  return (
    broken.filter((each) => each !== null).toSorted((a, b) => a.record_id - b.record_id)[0] ?? null
  );
}

function describeBroken(
  recordId: number,
  seq: number | null,
  problem: BrokenRecord['problem'],
): BrokenRecord {
  const message = `Audit verification failed at record ${recordId}: ${PROBLEMS[problem]}.`;
  return { record_id: recordId, seq, problem, message };
}

function describeCheckpoint(id: number): BrokenRecord {
  const message = `Audit verification failed at checkpoint ${id}: ${PROBLEMS.checkpoint_changed}.`;
  return { record_id: 0, seq: null, problem: 'checkpoint_changed', message };
}
