import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  type AuditFinding,
  describeBrokenChain,
  describeInvalidFile,
  describeMissingFile,
  describeMissingRecords,
  describeUnusableFile,
} from './audit-findings.ts';
import { type AuditHashes, NO_HASH } from './audit-hashes.ts';
import {
  findNewestLink,
  type LinkHash,
  listLinksAt,
  listLinksBefore,
  lockHead,
} from './audit-head.repository.ts';
import {
  type Checkpoint,
  type HeadFile,
  HeadFileError,
  type SealedHead,
} from './audit-head-file.ts';
import { type ChainWalk, walkChain } from './audit-verification.ts';
import { findFirstMissing, thinCheckpoints, toCheckpoint } from './first-missing.ts';

/** The head of the hash chain, sealed in a file outside the database. */
export type AuditHead = {
  /**
   * Verifies the log against the sealed head. Without an alarm, it then seals the end of the chain as the new head.
   * After an alarm, the file is not overwritten, and each call returns the finding until an operator resolves it.
   */
  verifyAndSeal(options?: VerifyOptions): Promise<AuditFinding | null>;
  /** Seals the current chain without comparing it with the file. */
  reseal(): Promise<void>;
  /** The finding of the last `verifyAndSeal`; null after `reseal`. */
  getFinding(): AuditFinding | null;
  /** The head that this process sealed or read last. */
  getSealedHead(): SealedHead | null;
};

type VerifyOptions = {
  /** The panel was just upgraded to the first version that seals its head, so a missing file is no problem. */
  isFirst?: boolean;
  /** Also verifies the last links before the sealed head, which earlier calls have verified. */
  verifiesNewestAgain?: boolean;
};

type Dependencies = {
  db: Database;
  hashes: AuditHashes;
  file: HeadFile;
  clock: Clock;
  log: Logger;
};

/** Number of links before the sealed head that `verifiesNewestAgain` verifies. */
const LINKS_VERIFIED_AGAIN = 100;
/** Number of links that a new head lists as checkpoints. */
const INITIAL_CHECKPOINTS = 100;
/** After a long downtime, the head advances in several calls of this size. */
const PAGES_PER_CALL = 10;
const EMPTY_CHAIN: LinkHash = { seq: 0, record_id: 0, hash: NO_HASH };

export function createAuditHead({ db, hashes, file, clock, log }: Dependencies): AuditHead {
  let lastFinding: AuditFinding | null = null;
  let lastHead: SealedHead | null = null;

  return {
    getFinding: () => lastFinding,
    getSealedHead: () => lastHead,

    async verifyAndSeal(options = {}) {
      let finding: AuditFinding | null;
      try {
        finding = await withHeadLock((trx) => verifyAndSealLocked(trx, options));
      } catch (error) {
        // A database error says nothing about the log; the caller handles it.
        if (!(error instanceof HeadFileError)) throw error;
        finding = describeUnusableFile(file.path, error);
      }
      if (finding && finding.message !== lastFinding?.message) {
        const fields = { problem: finding.problem, record_id: finding.record_id };
        if (finding.severity === 'alarm') log.error(fields, finding.message);
        else log.warn(fields, finding.message);
      }
      if (!finding && lastFinding) log.info('The sealed audit head is valid again.');
      lastFinding = finding;
      return finding;
    },

    async reseal() {
      await withHeadLock(async (trx) => {
        const onDisk = await file.read();
        const headOnDisk = onDisk.state === 'present' ? onDisk.head : null;
        const epoch = Math.max(headOnDisk?.epoch ?? 0, lastHead?.epoch ?? 0) + 1;
        await createHead(trx, { epoch, unconfirmed: false });
      });
      lastFinding = null;
    },
  };

  function withHeadLock<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    return db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (trx) => {
        await lockHead(trx);
        return work(trx);
      });
  }

  async function verifyAndSealLocked(trx: Trx, { isFirst, verifiesNewestAgain }: VerifyOptions) {
    const onDisk = await file.read();
    if (onDisk.state === 'invalid') return describeInvalidFile(file.path);
    const isFileMissing = onDisk.state === 'missing';
    const head = selectNewer(isFileMissing ? null : onDisk.head, lastHead);
    if (head === null) {
      const isNew = isFirst || (await findNewestLink(trx)) === null;
      const created = await createHead(trx, { epoch: 0, unconfirmed: !isNew });
      return created.unconfirmed ? describeMissingFile(file.path, created) : null;
    }
    lastHead = head;
    const missing = await findFirstMissing(trx, head);
    if (missing) return describeMissingRecords(missing, head);
    const { walk, newLinks } = await verifyLinksAfter(
      trx,
      head,
      verifiesNewestAgain ? LINKS_VERIFIED_AGAIN : 0,
    );
    if (walk.broken) return describeBrokenChain(walk.broken);

    // At the first start after the upgrade (`isFirst`), another process may already have created the file, as
    // unconfirmed.
    const unconfirmed = (head.unconfirmed && !isFirst) || isFileMissing;
    const isFileOutdated =
      isFileMissing || head !== onDisk.head || unconfirmed !== head.unconfirmed;
    const hasChanged = newLinks.length > 0 || isFileOutdated;
    const sealed = hasChanged ? await write({ ...advance(head, newLinks), unconfirmed }) : head;
    return unconfirmed ? describeMissingFile(file.path, sealed) : null;
  }

  /** Verifies the links after the head, and `olderLinks` links before it. `newLinks`: the links after the head. */
  async function verifyLinksAfter(trx: Trx, head: SealedHead, olderLinks: number) {
    const newLinks: LinkHash[] = [];
    const from = Math.max(head.records - olderLinks, 0);
    const [start = EMPTY_CHAIN] =
      from === head.records
        ? [{ seq: from, record_id: head.record_id, hash: head.hash }]
        : await listLinksAt(trx, [from]);
    const walk: ChainWalk = await walkChain(trx, hashes, {
      after: { records: start.seq, head: start.seq === 0 ? null : start.hash },
      pages: PAGES_PER_CALL,
      onLink: (link) => link.seq > head.records && newLinks.push(link),
    });
    return { walk, newLinks };
  }

  function advance(head: SealedHead, newLinks: LinkHash[]): SealedHead {
    const newest = newLinks.at(-1);
    if (!newest) return head;
    const previous = { seq: head.records, record_id: head.record_id, hash: head.hash };
    const between = [previous, ...newLinks.slice(0, -1)].filter(({ seq }) => seq > 0);
    const checkpoints = thinCheckpoints([
      ...between.toReversed().map(toCheckpoint),
      ...head.checkpoints,
    ]);
    return { ...head, ...toHeadFields(newest), checkpoints };
  }

  async function createHead(trx: Trx, status: Pick<SealedHead, 'epoch' | 'unconfirmed'>) {
    const newest = (await findNewestLink(trx)) ?? EMPTY_CHAIN;
    const olderLinks = await listLinksBefore(trx, newest.seq, INITIAL_CHECKPOINTS);
    const checkpoints: Checkpoint[] = thinCheckpoints(olderLinks.map(toCheckpoint));
    return write({ ...toHeadFields(newest), ...status, checkpoints });
  }

  function toHeadFields({ seq, record_id, hash }: LinkHash) {
    return { records: seq, record_id, hash, sealed_at: clock.now().toISOString() };
  }

  async function write(head: SealedHead): Promise<SealedHead> {
    // Keep the head in memory first: if the disk is full, this process still detects removed records.
    lastHead = head;
    await file.write(head);
    return head;
  }
}

/** Selects the head in memory if the file was replaced by an older one while the panel runs. */
function selectNewer(onDisk: SealedHead | null, lastHead: SealedHead | null): SealedHead | null {
  if (!onDisk || !lastHead) return onDisk ?? lastHead;
  const isOlder =
    onDisk.epoch < lastHead.epoch ||
    (onDisk.epoch === lastHead.epoch && onDisk.records < lastHead.records);
  return isOlder ? lastHead : onDisk;
}
