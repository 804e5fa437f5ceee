import { SITE_FAILURES, type SiteObservation } from '@steward/contract';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Trx } from '../../../platform/database/handles.ts';
import type { SiteClient, SiteTarget } from '../../../site-client/index.ts';
import { compareSite, readBefore, storeBefore } from '../../health/index.ts';
import { secondsUntilWindow } from '../call-window.ts';
import { countsOf, type TaskResult } from '../outcome/task-outcome.ts';
import { isCancelled } from '../runs.repository.ts';
import { applyHolds } from './apply-holds.ts';
import type { DispatchedCall } from './dispatch.ts';
import { type OpenTask, renewDispatch } from './tasks.repository.ts';

/** Observes a site before and after its update, and compares. */
export type UpdateHealth = {
  /**
   * `fenced`: another worker has taken over the task. `late`: the call can no longer be sent within half of the lease.
   * `withdrawn`: since the dispatch, the run was cancelled, its window closed, or a version was held back.
   */
  observeBefore(
    call: ObservedCall,
    target: SiteTarget,
  ): Promise<'ready' | 'fenced' | 'late' | 'withdrawn'>;
  /** Adds the observation to the result. If it shows trouble, a succeeded update becomes unverified. */
  checkAfter(task: OpenTask, target: SiteTarget, result: TaskResult): Promise<TaskResult>;
};

export type ObservedCall = Pick<DispatchedCall, 'task' | 'tries' | 'reconciles'> & {
  leaseSeconds: number;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  siteClient: Pick<SiteClient, 'observe'>;
  signal: AbortSignal;
  delays: { recheck: number };
  /** Repeats a query or a transaction while the database is down. */
  retry<T>(run: () => Promise<T>): Promise<T>;
};

export function createUpdateHealth(deps: Dependencies): UpdateHealth {
  const { db, clock, siteClient, signal, delays, retry } = deps;

  /** Stores the observation and renews the dispatch in one transaction, or neither if the call must not be sent. */
  const store = (task: OpenTask, before: SiteObservation) =>
    db.transaction().execute(async (trx) => {
      // An observation takes up to a minute. A halt in this time must stop the call.
      if (await isWithdrawn(trx, task, clock.now())) return 'withdrawn';
      if (!(await renewDispatch(trx, task))) return 'fenced';
      await storeBefore(trx, task, before, clock.now());
      return 'ready';
    });

  return {
    async observeBefore({ task, tries, reconciles, leaseSeconds }, target) {
      // A retry compares with the observation of the first attempt. A failed proof is not an attempt to call.
      const isRetry = Object.keys(tries).some((cause) => cause !== 'proofs');
      if (!isObserved(task) || reconciles || isRetry) return 'ready';
      const before = await siteClient.observe(target, { signal });
      if (!before) return 'ready';
      const startedAt = performance.now();
      const stored = await retry(() => store(task, before));
      if (stored !== 'ready') return stored;
      // The same limit as after a dispatch: the worker sends the request within half of the lease, or never.
      return performance.now() - startedAt > (leaseSeconds * 1000) / 6 ? 'late' : 'ready';
    },

    async checkAfter(task, target, result) {
      if (!isObserved(task) || !mayHaveChanged(task, result)) return result;
      const before = await retry(() => readBefore(db, task.id));
      const options = { siteClient, signal, recheckSeconds: delays.recheck };
      const health = await compareSite(target, before, options);
      return health ? addHealth(result, health) : result;
    },
  };
}

async function isWithdrawn(trx: Trx, task: OpenTask, now: Date): Promise<boolean> {
  if (secondsUntilWindow(task, now) > 0 || (await isCancelled(trx, task.run_id))) return true;
  const { refusals, changed } = await applyHolds(trx, [{ ...task }], now);
  return refusals.size > 0 || changed.size > 0;
}

const isObserved = ({ kind, request }: Pick<OpenTask, 'kind' | 'request'>) =>
  kind === 'update' || (kind === 'plugin_action' && request.action === 'update');

/** An update of a site without pending updates changes nothing, so it needs no second observation. */
function mayHaveChanged({ kind }: Pick<OpenTask, 'kind'>, result: TaskResult): boolean {
  if (!['succeeded', 'partial', 'unverified', 'failed'].includes(result.status)) return false;
  if (kind === 'plugin_action') return result.status !== 'failed';
  const { plugins, themes, core } = countsOf(result);
  return [plugins, themes, core].some(({ updated, failed }) => updated + failed > 0);
}

function addHealth(result: TaskResult, health: NonNullable<TaskResult['health']>): TaskResult {
  const messages = health.troubles.map(({ message }) => message);
  if (messages.length === 0) return { ...result, health };
  // A failed or partial update already has its own reason.
  if (result.status !== 'succeeded' && result.status !== 'unverified') {
    return { ...result, health, notes: [...(result.notes ?? []), ...messages] };
  }
  const error = [SITE_FAILURES.site_unhealthy.message, ...messages].join(' ');
  return { ...result, health, status: 'unverified', code: 'site_unhealthy', error };
}
