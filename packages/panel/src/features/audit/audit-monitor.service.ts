import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../platform/database/tables.ts';
import type { Logger } from '../../platform/logger.ts';
import { BEFORE_FIRST_ID, findIdAfter, findStrayRecord } from './audit-chain.repository.ts';
import { type AuditFinding, chainBroken, unguarded } from './audit-findings.ts';
import { findUnguardedTables } from './audit-guards.repository.ts';
import type { AuditHashes } from './audit-hashes.ts';
import type { AuditHead } from './audit-head.service.ts';
import { type BrokenRecord, checkMarks, describeStray, walkChain } from './audit-verification.ts';

/** Verifies the audit log while the panel runs. */
export type AuditMonitor = {
  /** Quick check: the sealed head, the newest records and the protecting triggers. */
  check(): Promise<void>;
  /** Verifies the whole log page by page, with pauses. Uses a tenth of the time of one connection. */
  walk(signal?: AbortSignal): Promise<void>;
  /** The most severe finding of the last check and the last walk. */
  warning(): AuditFinding | null;
};

type Dependencies = { db: Database; hashes: AuditHashes; head: AuditHead; log: Logger };

const PAUSE_FACTOR = 9;
const RECORDS_AT_ONCE = 10_000;

export function createAuditMonitor({ db, hashes, head, log }: Dependencies): AuditMonitor {
  let walkFinding: AuditFinding | null = null;
  let guardFinding: AuditFinding | null = null;

  return {
    async check() {
      await head.verifyAndAdvance({ rechecksNewest: true });
      const tables = await findUnguardedTables(db);
      guardFinding = report(guardFinding, tables.length > 0 ? unguarded(tables) : null);
    },

    async walk(signal) {
      const broken = await findBroken(signal);
      if (!signal?.aborted) walkFinding = report(walkFinding, broken && chainBroken(broken));
    },

    warning() {
      const found = [head.finding(), walkFinding, guardFinding].filter((each) => each !== null);
      return found.find(({ severity }) => severity === 'alarm') ?? found[0] ?? null;
    },
  };

  function report(before: AuditFinding | null, now: AuditFinding | null): AuditFinding | null {
    if (now && now.message !== before?.message) {
      log.error({ problem: now.problem, record_id: now.record_id }, now.message);
    }
    return now;
  }

  async function findBroken(signal: AbortSignal | undefined): Promise<BrokenRecord | null> {
    const pace = createPacer(signal);
    let at = { records: 0, head: null as string | null };
    for (let isComplete = false; !isComplete && !signal?.aborted; ) {
      const walk = await pace(() => walkChain(db, hashes, { after: at, pages: 1 }));
      if (walk.broken) return walk.broken;
      isComplete = walk.isComplete;
      at = walk;
    }
    for (let after = BEFORE_FIRST_ID; !signal?.aborted; ) {
      const from = after;
      const upTo = await findIdAfter(db, from, RECORDS_AT_ONCE);
      if (upTo === null) break;
      const stray = await pace(() => findStrayRecord(db, { after: from, upTo }));
      if (stray !== null) return describeStray(stray);
      after = upTo;
    }
    return (await checkMarks(db, hashes, at.records === 0)).broken;
  }
}

/** Waits nine times the duration of each piece of work. */
function createPacer(signal: AbortSignal | undefined) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work();
    const pauseMs = (performance.now() - startedAt) * PAUSE_FACTOR;
    // Stopping the panel aborts the pause.
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    return result;
  };
}
