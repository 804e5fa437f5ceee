import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { createNewFile, type NewFile } from '../../platform/new-file.ts';
import type { AuditService } from './audit.service.ts';
import { allowLongStatements, lockForSnapshot } from './audit-chain.repository.ts';
import type { AuditChain } from './audit-chain.service.ts';
import { countRecords, detachPartitions, withDetachLock } from './audit-detach.repository.ts';
import type { AuditHashes } from './audit-hashes.ts';
import {
  type AuditPartition,
  formatMonth,
  listAuditPartitions,
  startOfMonth,
} from './audit-partitions.ts';
import { walkChain } from './audit-verification.ts';
import {
  createExportSummary,
  formatLine,
  formatManifest,
  type SealedRecord,
  toExportedRecord,
  verifyExportFile,
} from './detach-export.ts';
import {
  type DetachCheckpoint,
  insertCheckpoint,
  readDetachedRecords,
} from './detached-records.ts';
import { addNames } from './record-names.ts';

/** Detaches old partitions of the audit log. The hash chain keeps their links. */
export type AuditDetach = {
  /**
   * Verifies the log, exports the records before a month, and detaches their partitions. Each step can be killed: a
   * repeated call with the same file continues.
   */
  detach(options: DetachOptions): Promise<DetachCheckpoint & { is_repeated: boolean }>;
  /** Verifies an export, and that this panel has detached its records. */
  verifyExport(path: string): Promise<DetachCheckpoint>;
};

export type DetachOptions = {
  /** The first day of a month. */
  before: Date;
  path: string;
  origin: AuditOrigin;
  /** Connects as the owner of the tables. */
  owner: Database;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashes: AuditHashes;
  audit: AuditService;
  chain: AuditChain;
};

const LINES_PER_WRITE = 1000;

export function createAuditDetach(deps: Dependencies): AuditDetach {
  const { db, clock, hashes, audit, chain } = deps;

  return {
    detach: (options) => withDetachLock(options.owner, () => detachLocked(options)),

    async verifyExport(path) {
      const manifest = await verifyExportFile(path, hashes);
      const { checkpoints, invalidCheckpoint } = await readDetachedRecords(db, hashes);
      if (invalidCheckpoint !== null) {
        throw new Error(
          `Checkpoint ${invalidCheckpoint} of this panel was changed or inserted outside Steward.`,
        );
      }
      const text = JSON.stringify(manifest);
      if (checkpoints.some((each) => JSON.stringify(each) === text)) return manifest;
      throw new Error(
        `${path} is intact, but this panel has no checkpoint for it: its records were not detached, or the checkpoint was removed.`,
      );
    },
  };

  async function detachLocked({ before, path, origin, owner }: DetachOptions) {
    if (before > startOfMonth(clock.now())) {
      throw new Error(
        `Only past months can be detached. The latest possible month is ${formatMonth(clock.now())}.`,
      );
    }
    await assertValid();
    const month = formatMonth(before);
    const partitions = await listAuditPartitions(db);
    const old = partitions.filter(({ to }) => to <= before);
    if (old.length === 0) return findDetached(month, partitions, path);
    const checkpoint = existsSync(path)
      ? await continueExport(path, month, old)
      : await writeExport(path, month, old);
    await detachPartitions(owner, checkpoint, async (trx) => {
      await insertCheckpoint(trx, checkpoint, hashes);
      const { records, hash, sha256, last_record_id } = checkpoint;
      await audit.record(trx, origin, {
        action: 'detach',
        entityType: 'audit_log',
        entityId: month,
        context: { records, last_record_id, hash, sha256, file: basename(path) },
      });
    });
    await chain.seal();
    return { ...checkpoint, is_repeated: false };
  }

  async function assertValid(): Promise<void> {
    const { ok, broken, sealed_head } = await chain.verify();
    if (ok) return;
    const reason = broken?.message ?? sealed_head?.message ?? 'A trigger is missing.';
    throw new Error(
      `The audit log is not valid, so nothing was detached. Run npx steward audit verify. ${reason}`,
    );
  }

  /** A call that was killed after the partitions were detached succeeds when it is repeated. */
  async function findDetached(month: string, partitions: AuditPartition[], path: string) {
    const { checkpoints } = await readDetachedRecords(db, hashes);
    const existing = checkpoints.find(({ before }) => before === month);
    if (existing) {
      await assertExportOf(existing, path);
      return { ...existing, is_repeated: true };
    }
    const oldest = partitions[0];
    const first = oldest ? formatMonth(oldest.to) : 'the current month';
    // The command refuses later months than the current one, so it must not be told to name one.
    const isTooEarly = oldest !== undefined && oldest.to > startOfMonth(clock.now());
    const nextStep = isTooEarly
      ? `The oldest records can be detached from ${first} on.`
      : `Choose ${first} or a later month.`;
    throw new Error(`No partition ends before ${month}. ${nextStep}`);
  }

  async function assertExportOf(existing: DetachCheckpoint, path: string): Promise<void> {
    const detached = `The records from before ${existing.before} are already detached`;
    if (!existsSync(path)) {
      throw new Error(`${detached}. ${path} was not written: use the export of that time.`);
    }
    const manifest = await verifyExportFile(path, hashes);
    if (JSON.stringify(manifest) === JSON.stringify(existing)) return;
    throw new Error(`${detached}, and ${path} is the export of other records.`);
  }

  async function continueExport(path: string, month: string, partitions: AuditPartition[]) {
    const checkpoint = await verifyExportFile(path, hashes);
    const names = partitions.map(({ name }) => name).join();
    if (checkpoint.before === month && checkpoint.partitions.join() === names) return checkpoint;
    throw new Error(`${path} is the export of other records. Choose another file.`);
  }

  async function writeExport(path: string, month: string, partitions: AuditPartition[]) {
    const file = await createNewFile(path);
    try {
      const checkpoint = await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((trx) => writeRecords(trx, file, month, partitions));
      await file.write(formatManifest(checkpoint, hashes));
      await file.publish();
      return checkpoint;
    } finally {
      await file.discard();
    }
  }

  /** Walks the whole chain in one snapshot, and writes the records of the partitions. */
  async function writeRecords(
    trx: Trx,
    file: NewFile,
    month: string,
    partitions: AuditPartition[],
  ): Promise<DetachCheckpoint> {
    await allowLongStatements(trx);
    await lockForSnapshot(trx);
    const names = partitions.map(({ name }) => name);
    const summary = createExportSummary();
    let waiting: SealedRecord[] = [];
    const flush = async () => {
      const named = await addNames(trx, waiting.map(toExportedRecord));
      const lines = waiting.map((link, index) => {
        const line = formatLine(named[index] as (typeof named)[number], link);
        summary.add(line, link);
        return line;
      });
      waiting = [];
      await file.write(lines.join(''));
    };
    const { broken } = await walkChain(trx, hashes, {
      async onLink(link) {
        if (link.record === null || !names.includes(link.partition ?? '')) return;
        waiting.push({ ...link, record: link.record });
        if (waiting.length === LINES_PER_WRITE) await flush();
      },
    });
    if (broken) throw new Error(broken.message);
    await flush();
    const exported = summary.finish();
    const records = await countRecords(trx, names, new Date(month));
    if (exported.records === 0) throw new Error(`There are no records before ${month}.`);
    if (exported.records !== records) {
      throw new Error('Some records are not sealed yet. Run the command again.');
    }
    const exported_at = clock.now().toISOString();
    return { before: month, partitions: names, ...exported, exported_at };
  }
}
