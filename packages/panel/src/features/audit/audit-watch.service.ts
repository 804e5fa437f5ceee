import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../platform/database/tables.ts';
import type { Logger } from '../../platform/logger.ts';
import { BEFORE_ALL, findIdAfter, findStray } from './audit-chain.repository.ts';
import { type AuditFinding, chainBroken, unguarded } from './audit-findings.ts';
import { findUnguardedTables } from './audit-guards.repository.ts';
import type { AuditHashes } from './audit-hashes.ts';
import type { AuditHead } from './audit-head.service.ts';
import { type BrokenRecord, checkMarks, strayRecord, walkChain } from './audit-verification.ts';

/** Looks after the audit log while the panel runs, and says what is wrong with it. */
export type AuditWatch = {
  /** Quick: the sealed head, the newest records, and whether records could be changed at present. */
  check(): Promise<void>;
  /** Proves the whole log, page after page, with pauses: a tenth of the time of one connection. */
  walk(signal?: AbortSignal): Promise<void>;
  /** The gravest that the last check and the last walk have found. */
  warning(): AuditFinding | null;
};

type Dependencies = { db: Database; hashes: AuditHashes; head: AuditHead; log: Logger };

const PAUSE_FACTOR = 9;
const RECORDS_AT_ONCE = 10_000;

export function createAuditWatch({ db, hashes, head, log }: Dependencies): AuditWatch {
  let ofWalk: AuditFinding | null = null;
  let ofGuards: AuditFinding | null = null;

  return {
    async check() {
      await head.keep({ rereads: true });
      const tables = await findUnguardedTables(db);
      ofGuards = report(ofGuards, tables.length > 0 ? unguarded(tables) : null);
    },

    async walk(signal) {
      const broken = await findBroken(signal);
      if (!signal?.aborted) ofWalk = report(ofWalk, broken && chainBroken(broken));
    },

    warning() {
      const found = [head.finding(), ofWalk, ofGuards].filter((each) => each !== null);
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
    const inTurns = pacer(signal);
    let at = { records: 0, head: null as string | null };
    for (let isComplete = false; !isComplete && !signal?.aborted; ) {
      const walk = await inTurns(() => walkChain(db, hashes, { after: at, pages: 1 }));
      if (walk.broken) return walk.broken;
      isComplete = walk.isComplete;
      at = walk;
    }
    for (let after = BEFORE_ALL; !signal?.aborted; ) {
      const from = after;
      const upTo = await findIdAfter(db, from, RECORDS_AT_ONCE);
      if (upTo === null) break;
      const stray = await inTurns(() => findStray(db, { after: from, upTo }));
      if (stray !== null) return strayRecord(stray);
      after = upTo;
    }
    return (await checkMarks(db, hashes, at.records === 0)).broken;
  }
}

/** After each piece of work, waits nine times as long as it took. */
function pacer(signal: AbortSignal | undefined) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work();
    const pauseMs = (performance.now() - startedAt) * PAUSE_FACTOR;
    // The pause is cut short when the panel stops.
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    return result;
  };
}
