import type { Database, Trx } from '../../platform/database/handles.ts';
import {
  allowLongStatements,
  appendLinks,
  findHead,
  hasMarks,
  LOWEST_NUMBER,
  listMarks,
  lockChain,
  lockForSnapshot,
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
  findMarkProblem,
  selectFirstBroken,
  walkChain,
} from './audit-verification.ts';
import { readDetachedRecords } from './detached-records.ts';

export type SealResult = {
  sealed: number;
  /** Ids of marked records that were changed, removed or inserted outside Steward. They stay out of the chain. */
  refused: number[];
};

export type Verification = {
  ok: boolean;
  /** Number of records in the chain, up to the first broken one. */
  records: number;
  /** Hash of the link of the last of these records, to store outside the panel. Null: no valid link. */
  head: string | null;
  /** Number of valid records that were committed since the last seal. */
  unsealed: number;
  broken: BrokenRecord | null;
  /** Tables whose append-only trigger is missing or disabled. */
  unguarded: string[];
  /** Null: the caller passed no expected head. */
  expected_head_found: boolean | null;
  /** Problem with the sealed head in the data directory. Null: no problem. */
  sealed_head: AuditFinding | null;
  /** Records of which the database has only the link. Null: none. */
  detached: { records: number; before: string } | null;
};

export type AuditChain = {
  /** Appends committed records to the chain. Safe to call concurrently. */
  seal(): Promise<SealResult>;
  /** Seals, then verifies the chain from the first link to the last. */
  verify(options?: { expectedHead?: string | undefined }): Promise<Verification>;
};

type Dependencies = {
  db: Database;
  hashes: AuditHashes;
  /** Undefined: the chain seals records, but no head. */
  head?: AuditHead;
};

const PAGE_SIZE = 1000;

export function createAuditChain({ db, hashes, head: sealedHead }: Dependencies): AuditChain {
  const chain: AuditChain = {
    async seal() {
      // Usually no record waits, and this check avoids the lock.
      if (!(await hasMarks(db))) return { sealed: 0, refused: [] };
      const result = await db.transaction().setIsolationLevel('read committed').execute(sealAll);
      // After the commit: the file must never name a record that a crash can remove from the database.
      await sealedHead?.verifyAndSeal();
      return result;
    },

    async verify({ expectedHead } = {}) {
      await chain.seal();
      const sealed_head = (await sealedHead?.verifyAndSeal({ verifiesNewestAgain: true })) ?? null;
      const unguarded = await findUnguardedTables(db);
      const { walk, unsealedCheck, detached } = await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (trx) => {
          await allowLongStatements(trx);
          await lockForSnapshot(trx);
          const walk = await walkChain(trx, hashes, { expectedHead });
          const unsealedCheck = await checkUnsealed(trx, hashes, walk.records === 0);
          const { newest, records } = await readDetachedRecords(trx, hashes);
          const detached = newest && { records, before: newest.before };
          return { walk, unsealedCheck, detached };
        });
      const broken = selectFirstBroken(walk.broken, unsealedCheck.broken);
      const expected_head_found = expectedHead === undefined ? null : walk.foundExpectedHead;
      return {
        ok:
          broken === null &&
          unguarded.length === 0 &&
          expected_head_found !== false &&
          sealed_head?.severity !== 'alarm',
        records: walk.records,
        head: walk.head,
        unsealed: unsealedCheck.unsealed,
        broken,
        unguarded,
        expected_head_found,
        sealed_head,
        detached,
      };
    },
  };
  return chain;

  /**
   * Seals all marked records in one transaction. Records that are older than the hash chain are accepted only while the
   * chain is empty. For a second transaction, the chain would no longer be empty.
   */
  async function sealAll(trx: Trx): Promise<SealResult> {
    await lockChain(trx);
    let head = await findHead(trx);
    const wasChainEmpty = head.seq === 0;
    const result: SealResult = { sealed: 0, refused: [] };
    for (let afterId = LOWEST_NUMBER; ; ) {
      const marks = await listMarks(trx, afterId, PAGE_SIZE);
      const refused = marks.filter((mark) => findMarkProblem(mark, hashes, wasChainEmpty) !== null);
      const accepted = marks.filter((mark) => !refused.includes(mark));
      const links = buildLinks(accepted, head);
      await appendLinks(trx, links);
      await removeMarks(trx, accepted.map(toRecordId));
      result.sealed += links.length;
      result.refused.push(...refused.map(toRecordId));
      head = links.at(-1) ?? head;
      afterId = marks.at(-1)?.record_id ?? afterId;
      if (marks.length < PAGE_SIZE) return result;
    }
  }

  function buildLinks(marks: Mark[], head: { seq: number; hash: string }): Link[] {
    const links: Link[] = [];
    for (const { record_id, record_hash, record, is_sealed } of marks) {
      // A sealed record already has its link. Its mark is removed with the others.
      if (is_sealed || record === null) continue;
      const { seq, hash: previous_hash } = links.at(-1) ?? head;
      const content = {
        seq: seq + 1,
        record_id,
        record_hash: record_hash ?? hashes.hashRecord(record),
        previous_hash,
      };
      links.push({ ...content, hash: hashes.hashLink(content) });
    }
    return links;
  }
}

const toRecordId = (mark: Mark) => mark.record_id;
