import type { Inventory, PluginActionRequest } from '@steward/contract';
import type { SiteTimeouts } from '../../../platform/config.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import type {
  SiteClient,
  SiteOutcome,
  SiteResponse,
  SiteTarget,
} from '../../../site-client/index.ts';
import type { ProofService } from '../../licenses/index.ts';
import type { SiteService } from '../../sites/index.ts';
import type { RetryCounts } from '../jobs.ts';
import {
  type LostCall,
  notReported,
  reconcileAction,
  reconcileUpdate,
  siteIsDown,
} from '../outcome/reconcile.ts';
import { type TaskResult, toTaskResult } from '../outcome/task-outcome.ts';
import type { DispatchedCall } from './dispatch.ts';
import { callWithHealthCheck, confirmByHomePage, needsHealthCheck } from './health-check.ts';
import type { CallState, OpenTask } from './tasks.repository.ts';

type Outcome = SiteOutcome<SiteResponse>;

/** The next step after a call: end the task, or release it for another attempt after a pause. */
export type Step =
  | { kind: 'end'; result: TaskResult }
  | { kind: 'release'; afterSeconds: number; callState: CallState; tries: RetryCounts };

type Dependencies = {
  siteClient: SiteClient;
  secrets: Pick<Secrets, 'decrypt'>;
  readLastReport: SiteService['readLastReport'];
  pendingBefore(taskId: number): Promise<Inventory | null>;
  prove: ProofService['prove'];
  timeouts: SiteTimeouts;
  pauses: Pauses;
  signal: AbortSignal;
  log: Pick<Logger, 'info'>;
};

/** Seconds between two attempts. */
export const PAUSES = {
  /** The site was not reachable. The task fails after the last one. */
  connect: [1, 3],
  /** The site was busy. */
  busy: [1, 2, 5, 10, 20, 30],
  /** Reconciling a lost call. The last pause repeats. */
  reconcile: [1, 3, 10, 15],
  /** Between two page checks of a site that shows an error. */
  look: 2,
  /** Between two attempts to send the verdict. */
  verdict: 5,
  /** Reconciling ends after this time without a report. Short for a single action: a user waits for it. */
  giveUp: { update: 120, plugin_action: 30 },
};
export type Pauses = typeof PAUSES;

const FIRST_RECONCILE_SECONDS = 30;

/** Calls the site once. */
export async function callSite(call: DispatchedCall, deps: Dependencies): Promise<Step> {
  const startedAt = performance.now();
  // The site key is sent only to a proven address.
  const proof = call.task.needs_proof ? await deps.prove(call.task.site_id) : null;
  // The proof may have taken long and changed the key, so the call is dispatched again.
  if (proof?.reachable) return release(0, call.reconciles ? 'unchanged' : 'not_called', call.tries);
  const outcome = proof ? notSent(proof.outcome) : await send(call, deps);
  if (outcome.kind !== 'answered') {
    const { id: task, site_id: site } = call.task;
    const { code, httpStatus: http_status } = outcome;
    const { reason, detail } = { reason: null, detail: null, ...outcome };
    const facts = { task, site, code, reason, detail, http_status };
    deps.log.info(facts, 'Call to site failed.');
  }
  if (!call.reconciles) return afterCall(call, outcome, deps);
  const seconds = (performance.now() - startedAt) / 1000;
  const [sinceCall, sinceLoss] = [call.sinceCall + seconds, call.sinceLoss + seconds];
  return afterReconcileCall({ ...call, sinceCall, sinceLoss }, outcome, deps);
}

async function send(call: DispatchedCall, deps: Dependencies): Promise<Outcome> {
  const { siteClient, signal, timeouts } = deps;
  const { kind, request } = call.task;
  const target = targetOf(call.task, deps);
  if (call.reconciles) {
    // The first reconcile call gets enough time for a response, however late it starts.
    const minSeconds = call.tries.asked ? 1 : FIRST_RECONCILE_SECONDS;
    const seconds = Math.min(timeouts.actionSeconds, Math.max(minSeconds, secondsLeft(call, deps)));
    return siteClient.sync(target, { signal, seconds });
  }
  if (kind === 'sync') return siteClient.sync(target, { signal });
  const act = (checksHealth: boolean) =>
    kind === 'update'
      ? siteClient.bulkUpdate(target, { signal, checksHealth })
      : siteClient.pluginAction(target, request as PluginActionRequest, { signal, checksHealth });
  const outcome = await act(false);
  return needsHealthCheck(outcome) ? callWithHealthCheck(target, () => act(true), deps) : outcome;
}

/** A failed proof of address is the outcome of the call, which was never sent. */
function notSent(outcome: Exclude<Outcome, { kind: 'answered' }>): Outcome {
  if (outcome.kind === 'failed') return { ...outcome, sent: false };
  const { isInterrupted, ...refused } = { isInterrupted: undefined, ...outcome };
  return refused;
}

function targetOf(task: OpenTask, { secrets }: Dependencies): SiteTarget {
  const { url, endpoint_url, endpoint_origin, site_key_encrypted, license_key_encrypted } = task;
  const { web_login_encrypted: login } = task;
  if (url === null) throw new Error('The site has no activation.');
  const serviceKey = site_key_encrypted
    ? secrets.decrypt(site_key_encrypted, 'site_key')
    : license_key_encrypted && secrets.decrypt(license_key_encrypted, 'license_key');
  if (!serviceKey) throw new Error('The site has no key.');
  const webLogin = login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
  const endpoint = { endpointUrl: endpoint_url, endpointOrigin: endpoint_origin };
  return { siteUrl: url, ...endpoint, serviceKey, webLogin };
}

function afterCall({ task, tries }: DispatchedCall, outcome: Outcome, deps: Dependencies): Step {
  const result = toTaskResult(outcome);
  const isSync = task.kind === 'sync';
  if (isStopped(outcome)) return release(0, result.sent && !isSync ? result : 'not_called', tries);
  const cause = retryCauseOf(outcome, task);
  if (cause !== null) {
    const retries = tries[cause] ?? 0;
    const pause = deps.pauses[cause][retries];
    if (pause !== undefined) {
      return release(pause, 'not_called', { ...tries, [cause]: retries + 1 });
    }
  }
  if (result.status !== 'unknown') return { kind: 'end', result };
  // A sync changes nothing on the site, so there is nothing to reconcile.
  if (isSync) return { kind: 'end', result: { ...result, status: 'failed' } };
  return release(deps.pauses.reconcile[0] ?? 0, result, {});
}

/** Returns a cause only if the site certainly did not act and a retry may succeed. */
function retryCauseOf(outcome: Outcome, { kind }: OpenTask): 'busy' | 'connect' | null {
  if (outcome.kind === 'busy') return 'busy';
  // A user waits for a single action, so it ends at once with `site_busy`.
  if (isBusy(outcome)) return kind === 'plugin_action' ? null : 'busy';
  if (kind === 'sync' && isUnavailable(outcome)) return 'busy';
  if (outcome.kind !== 'failed' || (outcome.sent && kind !== 'sync')) return null;
  const isTransient = ['dns', 'connect', 'timeout', 'connection_lost'].includes(outcome.reason);
  return isTransient ? 'connect' : null;
}

/** Only a new report counts: the stored inventory may date from before the call. */
async function afterReconcileCall(
  call: DispatchedCall,
  outcome: Outcome,
  deps: Dependencies,
): Promise<Step> {
  const { task } = call;
  const lost = task.code === null ? LOST_WITH_WORKER : task;
  const asked = (call.tries.asked ?? 0) + 1;
  if (isStopped(outcome)) return release(0, lost, { asked });
  if (isDown(outcome)) return { kind: 'end', result: siteIsDown(lost) };
  if (outcome.kind === 'answered') {
    const { inventory, inventory_at } = await deps.readLastReport(task.site_id);
    // Compares for equality: the processes that store reports have their own clocks.
    const isNew = inventory_at?.getTime() !== task.inventory_at?.getTime();
    if (isNew && inventory) {
      const before = await deps.pendingBefore(task.id);
      const result =
        task.kind === 'plugin_action'
          ? reconcileAction(lost, task.request as PluginActionRequest, before, inventory)
          : reconcileUpdate(lost, before, inventory);
      return { kind: 'end', result: await confirmByHomePage(result, targetOf(task, deps), deps) };
    }
    const facts = { task: task.id, site: task.site_id };
    deps.log.info(facts, 'Site responded to a sync but sent no report.');
  }
  const { reconcile } = deps.pauses;
  const pause = reconcile[Math.min(asked, reconcile.length - 1)] ?? 0;
  const isWorking = isBusy(outcome) || isUnavailable(outcome);
  if (pause < secondsLeft(call, deps, { isWorking })) return release(pause, lost, { asked });
  const hasResponded = outcome.kind === 'answered';
  return { kind: 'end', result: notReported(lost, { hasResponded }) };
}

/** The time left to reconcile. A site that is still working gets the full timeout of its call. */
function secondsLeft(call: DispatchedCall, deps: Dependencies, { isWorking = false } = {}): number {
  const { giveUp } = deps.pauses;
  const { updateSeconds, actionSeconds } = deps.timeouts;
  const isAction = call.task.kind === 'plugin_action';
  const limit = isAction ? giveUp.plugin_action : giveUp.update;
  if (!isWorking) return limit - call.sinceLoss;
  return (isAction ? actionSeconds : updateSeconds) + limit - call.sinceCall;
}

const LOST_WITH_WORKER: LostCall = {
  http_status: null,
  code: 'site_unreachable',
  error: 'Steward stopped before the site responded.',
};

/** The panel itself stopped the call. */
function isStopped(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.reason === 'stopped';
}

/** The site is in maintenance or runs another update or action. */
function isBusy(outcome: Outcome): boolean {
  return outcome.kind === 'busy' || (outcome.kind === 'refused' && outcome.code === 'site_busy');
}

/** Every request to the site ends in a fatal error. */
function isDown(outcome: Outcome): boolean {
  if (outcome.kind === 'refused') return outcome.code === 'site_down';
  return (
    outcome.kind === 'failed' && outcome.reason === 'http_status' && outcome.httpStatus === 500
  );
}

/** A 503 from a proxy, or from a site that does not use our error codes. */
function isUnavailable(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.httpStatus === 503;
}

function release(afterSeconds: number, callState: CallState, tries: RetryCounts): Step {
  return { kind: 'release', afterSeconds, callState, tries };
}
