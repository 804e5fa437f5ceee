import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import { findIdAfter, LOWEST_NUMBER } from './audit-chain.repository.ts';
import {
  type AuditFinding,
  describeBrokenChain,
  describeMissingPartition,
  describeMissingTrigger,
} from './audit-findings.ts';
import { findUnguardedTables } from './audit-guards.repository.ts';
import type { AuditHashes } from './audit-hashes.ts';
import type { AuditHead } from './audit-head.service.ts';
import { countMonthsAhead, listAuditPartitions } from './audit-partitions.ts';
import {
  type BrokenRecord,
  checkMarks,
  findForeignRecord,
  walkChain,
} from './audit-verification.ts';

/** Verifies the audit log while the panel runs. */
export type AuditMonitor = {
  /** Quick check of the sealed head, the newest records, the append-only triggers and the partitions. */
  check(): Promise<void>;
  /** Verifies the whole log page by page. Pauses keep the load at a tenth of one connection. */
  walk(signal?: AbortSignal): Promise<void>;
  /** The most severe finding of the last check and the last walk. */
  getWarning(): AuditFinding | null;
};

type Dependencies = {
  db: Database;
  hashes: AuditHashes;
  head: AuditHead;
  clock: Clock;
  log: Logger;
  /** Notifies the owners of an alarm; once for each finding, even if all processes and each restart report it. */
  announce(finding: AuditFinding): Promise<void>;
};

/** A pause lasts this many times as long as the query before it. */
const PAUSE_FACTOR = 9;
const RECORDS_PER_QUERY = 10_000;

export function createAuditMonitor(deps: Dependencies): AuditMonitor {
  const { db, hashes, head, clock, log } = deps;
  let walkFinding: AuditFinding | null = null;
  let triggerFinding: AuditFinding | null = null;
  let partitionFinding: AuditFinding | null = null;
  const lastAnnounced = new Map<AuditFinding['problem'], string>();

  return {
    async check() {
      await head.verifyAndSeal({ verifiesNewestAgain: true });
      const tables = await findUnguardedTables(db);
      const finding = tables.length > 0 ? describeMissingTrigger(tables) : null;
      logIfNew(finding, triggerFinding);
      triggerFinding = finding;
      const ahead = countMonthsAhead(await listAuditPartitions(db), clock.now());
      partitionFinding = ahead === 0 ? describeMissingPartition() : null;
      await announceAlarms();
    },

    async walk(signal) {
      const broken = await findBroken(signal);
      if (signal?.aborted) return;
      const finding = broken && describeBrokenChain(broken);
      logIfNew(finding, walkFinding);
      walkFinding = finding;
      await announceAlarms();
    },

    getWarning() {
      const findings = listFindings();
      return findings.find(({ severity }) => severity === 'alarm') ?? findings[0] ?? null;
    },
  };

  function listFindings(): AuditFinding[] {
    return [head.getFinding(), walkFinding, triggerFinding, partitionFinding].filter(
      (each) => each !== null,
    );
  }

  async function announceAlarms(): Promise<void> {
    for (const finding of listFindings()) {
      if (finding.severity !== 'alarm' || finding.message === lastAnnounced.get(finding.problem)) {
        continue;
      }
      await deps.announce(finding);
      lastAnnounced.set(finding.problem, finding.message);
    }
  }

  function logIfNew(finding: AuditFinding | null, previous: AuditFinding | null): void {
    if (!finding || finding.message === previous?.message) return;
    log.error({ problem: finding.problem, record_id: finding.record_id }, finding.message);
  }

  async function findBroken(signal: AbortSignal | undefined): Promise<BrokenRecord | null> {
    const pace = createPacer(signal);
    let position = { records: 0, head: null as string | null };
    for (let isComplete = false; !isComplete && !signal?.aborted; ) {
      const walk = await pace(() => walkChain(db, hashes, { after: position, pages: 1 }));
      if (walk.broken) return walk.broken;
      isComplete = walk.isComplete;
      position = walk;
    }
    for (let after = LOWEST_NUMBER; !signal?.aborted; ) {
      const from = after;
      const upTo = await findIdAfter(db, from, RECORDS_PER_QUERY);
      if (upTo === null) break;
      const foreign = await pace(() => findForeignRecord(db, { after: from, upTo }));
      if (foreign) return foreign;
      after = upTo;
    }
    return (await checkMarks(db, hashes, position.records === 0)).broken;
  }
}

/** Returns a function that does a piece of work and then pauses. */
function createPacer(signal: AbortSignal | undefined) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work();
    const pauseMs = (performance.now() - startedAt) * PAUSE_FACTOR;
    // The signal rejects the pause when the panel stops.
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    return result;
  };
}
