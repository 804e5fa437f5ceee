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
import { checkpointOf, findFirstMissing, thinOut } from './first-missing.ts';

/** The head of the chain, sealed in a file outside the database. */
export type AuditHead = {
  /**
   * Checks that the chain still holds the sealed head, then moves the head on to the end of the chain. When the chain
   * does not hold it, the file stays as it is, and so does the finding, until an operator accepts.
   */
  keep(options?: KeepOptions): Promise<AuditFinding | null>;
  /** Seals the chain as it is, whatever the file says. */
  reseal(): Promise<void>;
  /** What `keep` has found the last time. */
  finding(): AuditFinding | null;
  /** The head that was sealed or read last. */
  sealed(): SealedHead | null;
};

type KeepOptions = {
  /** The panel was just upgraded to a version that seals its head: that there is none yet is right. */
  isFirst?: boolean;
  /** Looks at the newest records that were sealed before, too. */
  rereads?: boolean;
};

type Dependencies = {
  db: Database;
  hashes: AuditHashes;
  file: HeadFile;
  clock: Clock;
  log: Logger;
};

const REREAD_LINKS = 100;
/** After a longer absence the head follows in several steps. */
const PAGES_AT_ONCE = 10;
const BEGINNING: LinkHash = { seq: 0, record_id: 0, hash: NO_HASH };

export function createAuditHead({ db, hashes, file, clock, log }: Dependencies): AuditHead {
  let finding: AuditFinding | null = null;
  let remembered: SealedHead | null = null;

  return {
    finding: () => finding,
    sealed: () => remembered,

    async keep(options = {}) {
      let found: AuditFinding | null;
      try {
        found = await inTurn((trx) => keepHead(trx, options));
      } catch (error) {
        // A fault of the database is for the caller; it says nothing about the log.
        if (!(error instanceof HeadFileFault)) throw error;
        found = fileUnusable(file.path, error);
      }
      if (found && found.message !== finding?.message) {
        const fields = { problem: found.problem, record_id: found.record_id };
        if (found.severity === 'alarm') log.error(fields, found.message);
        else log.warn(fields, found.message);
      }
      if (!found && finding) log.info('The sealed audit head is in order again.');
      finding = found;
      return found;
    },

    async reseal() {
      await inTurn(async (trx) => {
        const onDisk = await file.read();
        const known = onDisk.state === 'present' ? onDisk.head : null;
        const epoch = Math.max(known?.epoch ?? 0, remembered?.epoch ?? 0) + 1;
        await begin(trx, { epoch, unconfirmed: false });
      });
      finding = null;
    },
  };

  function inTurn<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    return db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (trx) => {
        await lockHead(trx);
        return work(trx);
      });
  }

  async function keepHead(trx: Trx, { isFirst, rereads }: KeepOptions) {
    const onDisk = await file.read();
    if (onDisk.state === 'invalid') return fileInvalid(file.path);
    const isGone = onDisk.state === 'missing';
    const head = newerOf(isGone ? null : onDisk.head, remembered);
    if (head === null) {
      const isNew = isFirst || (await findNewestLink(trx)) === null;
      const begun = await begin(trx, { epoch: 0, unconfirmed: !isNew });
      return begun.unconfirmed ? fileMissing(file.path, begun) : null;
    }
    remembered = head;
    const missing = await findFirstMissing(trx, head);
    if (missing) return recordsMissing(missing, head);
    const { walk, passed } = await follow(trx, head, rereads ? REREAD_LINKS : 0);
    if (walk.broken) return chainBroken(walk.broken);

    // Of two processes that start with the first version that seals, the other one may have been here before.
    const unconfirmed = (head.unconfirmed && !isFirst) || isGone;
    const isOther = isGone || head !== onDisk.head || unconfirmed !== head.unconfirmed;
    const hasChanged = passed.length > 0 || isOther;
    const next = hasChanged ? await write({ ...moveOn(head, passed), unconfirmed }) : head;
    return unconfirmed ? fileMissing(file.path, next) : null;
  }

  /** Proves the links after the head, and a few before it. Collects the ones after it, the oldest first. */
  async function follow(trx: Trx, head: SealedHead, reread: number) {
    const passed: LinkHash[] = [];
    const from = Math.max(head.records - reread, 0);
    const [start = BEGINNING] =
      from === head.records
        ? [{ seq: from, record_id: head.record_id, hash: head.hash }]
        : await listLinksAt(trx, [from]);
    const walk: ChainWalk = await walkChain(trx, hashes, {
      after: { records: start.seq, head: start.seq === 0 ? null : start.hash },
      pages: PAGES_AT_ONCE,
      onLink: (link) => link.seq > head.records && passed.push(link),
    });
    return { walk, passed };
  }

  function moveOn(head: SealedHead, passed: LinkHash[]): SealedHead {
    const newest = passed.at(-1);
    if (!newest) return head;
    const former = { seq: head.records, record_id: head.record_id, hash: head.hash };
    const between = [former, ...passed.slice(0, -1)].filter(({ seq }) => seq > 0);
    const earlier = thinOut([...between.toReversed().map(checkpointOf), ...head.earlier]);
    return { ...head, ...endAt(newest), earlier };
  }

  async function begin(trx: Trx, how: Pick<SealedHead, 'epoch' | 'unconfirmed'>) {
    const newest = (await findNewestLink(trx)) ?? BEGINNING;
    const before = await listLinksBefore(trx, newest.seq, REREAD_LINKS);
    const earlier: Checkpoint[] = thinOut(before.map(checkpointOf));
    return write({ ...endAt(newest), ...how, earlier });
  }

  function endAt({ seq, record_id, hash }: LinkHash) {
    return { records: seq, record_id, hash, sealed_at: clock.now().toISOString() };
  }

  async function write(head: SealedHead): Promise<SealedHead> {
    // Remembered first: should the disk be full, this process still notices a cut.
    remembered = head;
    await file.write(head);
    return head;
  }
}

/** A file that was set back while the panel runs does not make it forget what it has sealed. */
function newerOf(onDisk: SealedHead | null, remembered: SealedHead | null): SealedHead | null {
  if (!onDisk || !remembered) return onDisk ?? remembered;
  const isOlder =
    onDisk.epoch < remembered.epoch ||
    (onDisk.epoch === remembered.epoch && onDisk.records < remembered.records);
  return isOlder ? remembered : onDisk;
}
