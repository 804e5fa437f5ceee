import { SITE_FAILURES, type SiteObservation } from '@steward/contract';
import type { Database } from '../../../platform/database/handles.ts';
import type { SiteClient, SiteTarget } from '../../../site-client/index.ts';
import { compareSite, readBefore } from '../../health/index.ts';
import type { FetchedCallJob } from '../jobs.ts';
import { countsOf, type TaskResult } from '../outcome/task-outcome.ts';
import type { OpenTask } from './tasks.repository.ts';

type Dependencies = {
  db: Database;
  siteClient: Pick<SiteClient, 'observe'>;
  signal: AbortSignal;
  delays: { recheck: number };
  /** Repeats a query while the database is down. */
  retry<T>(run: () => Promise<T>): Promise<T>;
};

export type UpdateHealth = ReturnType<typeof createUpdateHealth>;

/** Observes a site before and after its update, and compares. */
export function createUpdateHealth({ db, siteClient, signal, delays, retry }: Dependencies) {
  return {
    /** Null: not observed. A retry compares with the observation of the first attempt. */
    async observeBefore(
      task: OpenTask,
      target: SiteTarget,
      { tries = {} }: FetchedCallJob['data'],
    ): Promise<SiteObservation | null> {
      // A failed proof is not an attempt to call.
      const isRetry = Object.keys(tries).some((cause) => cause !== 'proofs');
      if (!isObserved(task) || isRetry || task.dispatched_at !== null) return null;
      return siteClient.observe(target, { signal });
    },

    /**
     * Adds the observation to the result. If it shows trouble, a succeeded update becomes unverified. `before`: null if
     * this attempt has not observed the site.
     */
    async checkAfter(
      task: OpenTask,
      target: SiteTarget,
      { before: observed, result }: { before: SiteObservation | null; result: TaskResult },
    ): Promise<TaskResult> {
      if (!isObserved(task) || !mayHaveChanged(task, result)) return result;
      const before = observed ?? (await retry(() => readBefore(db, task.id)));
      const options = { siteClient, signal, recheckSeconds: delays.recheck };
      const health = await compareSite(target, before, options);
      return health ? addHealth(result, health) : result;
    },
  };
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
  // A failed or partial update already has its own reason. A rollout shows the first note.
  if (result.status !== 'succeeded' && result.status !== 'unverified') {
    return { ...result, health, notes: [...messages, ...(result.notes ?? [])] };
  }
  const error = [SITE_FAILURES.site_unhealthy.message, ...messages].join(' ');
  const notes = [result.error ?? [], result.notes ?? []].flat();
  return { ...result, health, status: 'unverified', code: 'site_unhealthy', error, notes };
}
