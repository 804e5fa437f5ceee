import type { Database, Trx } from '../../platform/database/tables.ts';
import {
  allowLongStatements,
  appendLinks,
  BEFORE_ALL,
  findHead,
  hasMarks,
  listMarks,
  lockChain,
  type Mark,
  removeMarks,
} from './audit-chain.repository.ts';
import type { AuditFinding } from './audit-findings.ts';
import { findUnguardedTables } from './audit-guards.repository.ts';
import type { AuditHashes, Link } from './audit-hashes.ts';
import type { AuditHead } from './audit-head.service.ts';
import {
  type BrokenRecord,
  checkUnsealed,
  firstOf,
  problemOfMark,
  walkChain,
} from './audit-verification.ts';

export type SealResult = {
  sealed: number;
  /** Records that are marked but that no panel wrote as they are. They stay out of the chain. */
  refused: number[];
};

export type Verification = {
  ok: boolean;
  /** How many records the chain holds, up to the first that is not right. */
  records: number;
  /** The hash of the last of them, to keep elsewhere. Null: there is none. */
  head: string | null;
  /** Records that were committed since the sealer looked. They are in order as far as they go. */
  unsealed: number;
  broken: BrokenRecord | null;
  /** Tables that could be changed at present, because their trigger is gone or switched off. */
  unguarded: string[];
  /** Null: none was expected. */
  expected_head_found: boolean | null;
  /** What the head that is sealed in the data directory shows. Null: nothing is wrong. */
  sealed_head: AuditFinding | null;
};

export type AuditChain = {
  /** Appends to the chain what is committed and not in it yet. Any number may call it at once. */
  seal(): Promise<SealResult>;
  /** Seals, then proves the chain from the first link to the last. */
  verify(options?: { expectedHead?: string | undefined }): Promise<Verification>;
};

type Dependencies = {
  db: Database;
  hashes: AuditHashes;
  /** Left out: the head is sealed nowhere. */
  head?: AuditHead;
};

const PAGE_SIZE = 1000;

export function createAuditChain({ db, hashes, head: sealedHead }: Dependencies): AuditChain {
  const chain: AuditChain = {
    async seal() {
      // Most of the time there is nothing to do, and that is found out without the lock.
      if (!(await hasMarks(db))) return { sealed: 0, refused: [] };
      const result = await db.transaction().setIsolationLevel('read committed').execute(sealAll);
      // After the commit: what the file names is in the database, even after a crash in between.
      await sealedHead?.keep();
      return result;
    },

    async verify({ expectedHead } = {}) {
      await chain.seal();
      const sealed_head = (await sealedHead?.keep({ rereads: true })) ?? null;
      const unguarded = await findUnguardedTables(db);
      const { walk, rest } = await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (trx) => {
          await allowLongStatements(trx);
          const walk = await walkChain(trx, hashes, { expectedHead });
          return { walk, rest: await checkUnsealed(trx, hashes, walk.records === 0) };
        });
      const broken = firstOf(walk.broken, rest.broken);
      const expected_head_found = expectedHead === undefined ? null : walk.foundExpectedHead;
      return {
        ok:
          broken === null &&
          unguarded.length === 0 &&
          expected_head_found !== false &&
          sealed_head?.severity !== 'alarm',
        records: walk.records,
        head: walk.head,
        unsealed: rest.unsealed,
        broken,
        unguarded,
        expected_head_found,
        sealed_head,
      };
    },
  };
  return chain;

  /**
   * All in one transaction: records from before the chain are taken only while it is empty, and a
   * crash must not leave it half full of them.
   */
  async function sealAll(trx: Trx): Promise<SealResult> {
    await lockChain(trx);
    let head = await findHead(trx);
    const chainWasEmpty = head.seq === 0;
    const result: SealResult = { sealed: 0, refused: [] };
    for (let afterId = BEFORE_ALL; ; ) {
      const marks = await listMarks(trx, afterId, PAGE_SIZE);
      const refused = marks.filter((mark) => problemOfMark(mark, hashes, chainWasEmpty) !== null);
      const accepted = marks.filter((mark) => !refused.includes(mark));
      const links = linksFor(accepted, head);
      await appendLinks(trx, links);
      await removeMarks(trx, accepted.map(idOf));
      result.sealed += links.length;
      result.refused.push(...refused.map(idOf));
      head = links.at(-1) ?? head;
      afterId = marks.at(-1)?.record_id ?? afterId;
      if (marks.length < PAGE_SIZE) return result;
    }
  }

  function linksFor(marks: Mark[], head: { seq: number; hash: string }): Link[] {
    const links: Link[] = [];
    for (const { record_id, record_hash, record, is_sealed } of marks) {
      // A mark of a record that has its link says nothing new, and is only removed.
      if (is_sealed || record === null) continue;
      const { seq, hash: previous_hash } = links.at(-1) ?? head;
      const content = {
        seq: seq + 1,
        record_id,
        record_hash: record_hash ?? hashes.ofRecord(record),
        previous_hash,
      };
      links.push({ ...content, hash: hashes.ofLink(content) });
    }
    return links;
  }
}

const idOf = (mark: Mark) => mark.record_id;
