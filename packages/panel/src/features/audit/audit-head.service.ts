import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  type AuditFinding,
  chainBroken,
  fileInvalid,
  fileMissing,
  fileUnusable,
  recordsMissing,
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
  HeadFileFault,
  type SealedHead,
} from './audit-head-file.ts';
import { type ChainWalk, walkChain } from './audit-verification.ts';
import { findFirstMissing, thinCheckpoints, toCheckpoint } from './first-missing.ts';

/** The head of the hash chain, sealed in a file outside the database. */
export type AuditHead = {
  /**
   * Checks that the chain still contains the sealed head, then advances the head to the end of the chain. Otherwise
   * the file and the finding stay unchanged until an operator accepts the log.
   */
  verifyAndAdvance(options?: AdvanceOptions): Promise<AuditFinding | null>;
  /** Seals the current chain without comparing it with the file. */
  reseal(): Promise<void>;
  /** The finding of the last `keep`. */
  finding(): AuditFinding | null;
  /** The head that was last sealed or read. */
  sealed(): SealedHead | null;
};

type AdvanceOptions = {
  /** The panel was just upgraded to the first version that seals its head, so the file cannot exist yet. */
  isFirst?: boolean;
  /** Also verifies the newest records before the sealed head. */
  rechecksNewest?: boolean;
};

type Dependencies = {
  db: Database;
  hashes: AuditHashes;
  file: HeadFile;
  clock: Clock;
  log: Logger;
};

const REREAD_LINKS = 100;
/** Limit per call. After a long downtime the head advances in several calls. */
const PAGES_AT_ONCE = 10;
const EMPTY_CHAIN: LinkHash = { seq: 0, record_id: 0, hash: NO_HASH };

export function createAuditHead({ db, hashes, file, clock, log }: Dependencies): AuditHead {
  let finding: AuditFinding | null = null;
  let lastHead: SealedHead | null = null;

  return {
    finding: () => finding,
    sealed: () => lastHead,

    async verifyAndAdvance(options = {}) {
      let found: AuditFinding | null;
      try {
        found = await withHeadLock((trx) => verifyAndAdvanceIn(trx, options));
      } catch (error) {
        // The caller handles database errors; they are no finding about the log.
        if (!(error instanceof HeadFileFault)) throw error;
        found = fileUnusable(file.path, error);
      }
      if (found && found.message !== finding?.message) {
        const fields = { problem: found.problem, record_id: found.record_id };
        if (found.severity === 'alarm') log.error(fields, found.message);
        else log.warn(fields, found.message);
      }
      if (!found && finding) log.info('The sealed audit head is valid again.');
      finding = found;
      return found;
    },

    async reseal() {
      await withHeadLock(async (trx) => {
        const onDisk = await file.read();
        const known = onDisk.state === 'present' ? onDisk.head : null;
        const epoch = Math.max(known?.epoch ?? 0, lastHead?.epoch ?? 0) + 1;
        await createHead(trx, { epoch, unconfirmed: false });
      });
      finding = null;
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

  async function verifyAndAdvanceIn(trx: Trx, { isFirst, rechecksNewest }: AdvanceOptions) {
    const onDisk = await file.read();
    if (onDisk.state === 'invalid') return fileInvalid(file.path);
    const isFileMissing = onDisk.state === 'missing';
    const head = selectNewer(isFileMissing ? null : onDisk.head, lastHead);
    if (head === null) {
      const isNew = isFirst || (await findNewestLink(trx)) === null;
      const created = await createHead(trx, { epoch: 0, unconfirmed: !isNew });
      return created.unconfirmed ? fileMissing(file.path, created) : null;
    }
    lastHead = head;
    const missing = await findFirstMissing(trx, head);
    if (missing) return recordsMissing(missing, head);
    const { walk, newLinks } = await verifyLinksAfter(trx, head, rechecksNewest ? REREAD_LINKS : 0);
    if (walk.broken) return chainBroken(walk.broken);

    // After the upgrade to the first version that seals, another process may have created the file already.
    const unconfirmed = (head.unconfirmed && !isFirst) || isFileMissing;
    const isFileOutdated =
      isFileMissing || head !== onDisk.head || unconfirmed !== head.unconfirmed;
    const hasChanged = newLinks.length > 0 || isFileOutdated;
    const next = hasChanged ? await write({ ...advance(head, newLinks), unconfirmed }) : head;
    return unconfirmed ? fileMissing(file.path, next) : null;
  }

  /** Verifies the links after the head and `reread` links before it. Collects the links after it, oldest first. */
  async function verifyLinksAfter(trx: Trx, head: SealedHead, reread: number) {
    const newLinks: LinkHash[] = [];
    const from = Math.max(head.records - reread, 0);
    const [start = EMPTY_CHAIN] =
      from === head.records
        ? [{ seq: from, record_id: head.record_id, hash: head.hash }]
        : await listLinksAt(trx, [from]);
    const walk: ChainWalk = await walkChain(trx, hashes, {
      after: { records: start.seq, head: start.seq === 0 ? null : start.hash },
      pages: PAGES_AT_ONCE,
      onLink: (link) => link.seq > head.records && newLinks.push(link),
    });
    return { walk, newLinks };
  }

  function advance(head: SealedHead, newLinks: LinkHash[]): SealedHead {
    const newest = newLinks.at(-1);
    if (!newest) return head;
    const previous = { seq: head.records, record_id: head.record_id, hash: head.hash };
    const between = [previous, ...newLinks.slice(0, -1)].filter(({ seq }) => seq > 0);
    const earlier = thinCheckpoints([...between.toReversed().map(toCheckpoint), ...head.earlier]);
    return { ...head, ...toHeadFields(newest), earlier };
  }

  async function createHead(trx: Trx, how: Pick<SealedHead, 'epoch' | 'unconfirmed'>) {
    const newest = (await findNewestLink(trx)) ?? EMPTY_CHAIN;
    const before = await listLinksBefore(trx, newest.seq, REREAD_LINKS);
    const earlier: Checkpoint[] = thinCheckpoints(before.map(toCheckpoint));
    return write({ ...toHeadFields(newest), ...how, earlier });
  }

  function toHeadFields({ seq, record_id, hash }: LinkHash) {
    return { records: seq, record_id, hash, sealed_at: clock.now().toISOString() };
  }

  async function write(head: SealedHead): Promise<SealedHead> {
    // Kept in memory first: if the disk is full, this process still detects removed records.
    lastHead = head;
    await file.write(head);
    return head;
  }
}

/** Prefers the head in memory when the file was replaced by an older one while the panel runs. */
function selectNewer(onDisk: SealedHead | null, lastHead: SealedHead | null): SealedHead | null {
  if (!onDisk || !lastHead) return onDisk ?? lastHead;
  const isOlder =
    onDisk.epoch < lastHead.epoch ||
    (onDisk.epoch === lastHead.epoch && onDisk.records < lastHead.records);
  return isOlder ? lastHead : onDisk;
}
