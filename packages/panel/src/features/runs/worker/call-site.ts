import type { Inventory } from '@steward/contract';
import type { SiteTimeouts } from '../../../platform/config.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import type { SiteOutcome, SiteResponse, SiteTarget } from '../../../site-client/index.ts';
import type { ProofService } from '../../licenses/index.ts';
import { decideEndpoint, type SiteService } from '../../sites/index.ts';
import type { RetryCounts } from '../jobs.ts';
import { describeDeletedItems, findMissingItems } from '../outcome/deleted-items.ts';
import { type LostCall, resultForDownSite, resultWithoutReport } from '../outcome/reconcile.ts';
import { reconcile } from '../outcome/reconcile-by-kind.ts';
import { refusedResult, type TaskResult, toTaskResult } from '../outcome/task-outcome.ts';
import type { DispatchedCall } from './dispatch.ts';
import { confirmByHomePage } from './outside-check.ts';
import { type SendDependencies, sendCall } from './send-call.ts';
import type { CallState, OpenTask } from './tasks.repository.ts';

type Outcome = SiteOutcome<SiteResponse>;
type Unanswered = Exclude<Outcome, { kind: 'answered' }>;

/** The step after a call: end the task, or release it for another attempt after a delay. */
export type Step =
  | { kind: 'end'; result: TaskResult }
  | { kind: 'release'; afterSeconds: number; callState: CallState; tries: RetryCounts };

export type CallDependencies = SendDependencies & {
  secrets: Pick<Secrets, 'decrypt'>;
  readLastReport: SiteService['readLastReport'];
  readInventoryBefore(taskId: number): Promise<Inventory | null>;
  prove: ProofService['prove'];
  timeouts: SiteTimeouts;
  delays: Delays;
  log: Pick<Logger, 'info'>;
};

/** Delays and time limits of a task, in seconds. */
export const DELAYS = {
  /** After an unreachable site. The task fails after the last attempt. */
  connect: [1, 3],
  /** After a busy site. The task fails after the last attempt. */
  busy: [1, 2, 5, 10, 20, 30],
  /** Between two calls that reconcile a lost call. The last delay repeats. */
  reconcile: [1, 3, 10, 15],
  /** Between two page checks of a site that shows an error. */
  recheck: 2,
  /** Between two attempts to send the verdict. */
  verdict: 5,
  /** How long to wait for a report. Short for a single action, because a user waits for it. */
  reconcileLimit: { update: 120, plugin_action: 30 },
};
export type Delays = typeof DELAYS;

const RECONCILE_MIN_TIMEOUT_SECONDS = 30;

/** Delay before the retry of a task whose call would have been sent too late. */
export const LATE_CALL_DELAY_SECONDS = 1;

/** Makes the call of one attempt. */
export async function callSite(call: DispatchedCall, deps: CallDependencies): Promise<Step> {
  const startedAt = performance.now();
  const proof = await proveEndpoint(call, deps);
  if (proof?.kind === 'release') return proof;
  const outcome = proof ? asUnsent(proof) : await send(call, deps);
  if (outcome === null) return { kind: 'end', result: refusedResult('package_not_found') };
  if (outcome.kind !== 'answered') {
    const { id: task, site_id: site } = call.task;
    const { code, httpStatus: http_status } = outcome;
    const { reason, detail } = { reason: null, detail: null, ...outcome };
    const fields = { task, site, code, reason, detail, http_status };
    deps.log.info(fields, 'Call to site failed.');
  }
  if (!call.reconciles)
    return noteDeletedItems(decideAfterCall(call, outcome, deps), call, outcome, deps);
  const seconds = (performance.now() - startedAt) / 1000;
  const [sinceCall, sinceLoss] = [call.sinceCall + seconds, call.sinceLoss + seconds];
  return decideAfterReconcileCall({ ...call, sinceCall, sinceLoss }, outcome, deps);
}

/**
 * Asks an endpoint without proof for it: the key is sent only to a proven endpoint. Returns null if the site can be called
 * now. Returns the failure if the site has no proven endpoint.
 */
async function proveEndpoint(
  { task, tries, reconciles }: DispatchedCall,
  deps: CallDependencies,
): Promise<Extract<Step, { kind: 'release' }> | Unanswered | null> {
  const { callUrl, needsProof } = endpointOf(task);
  // After one failed proof of a new endpoint, the site is called at its proven endpoint.
  const isOptional = callUrl !== null && (reconciles || tries.proofs !== undefined);
  if (!needsProof || isOptional) return null;
  const result = await deps.prove(task.site_id);
  const hasFailed = result?.reachable === false;
  if (hasFailed && callUrl === null) return result.outcome;
  // The proof may have taken long and changed the endpoint or the key, so the task goes through dispatch again.
  const callState = reconciles ? 'unchanged' : 'not_called';
  return createRelease(0, callState, { ...tries, ...(hasFailed && { proofs: 1 }) });
}

async function send(call: DispatchedCall, deps: CallDependencies): Promise<Outcome | null> {
  const target = targetOf(call.task, deps);
  if (!call.reconciles) return sendCall(call.task, target, deps);
  const { siteClient, signal, timeouts } = deps;
  // The first reconcile call gets enough time for a response, however late it starts.
  const minSeconds = call.tries.syncs ? 1 : RECONCILE_MIN_TIMEOUT_SECONDS;
  const seconds = Math.min(timeouts.actionSeconds, Math.max(minSeconds, secondsLeft(call, deps)));
  return siteClient.sync(target, { signal, seconds });
}

/** Turns a failed proof of address into the outcome of the call, which was never sent. */
function asUnsent(outcome: Unanswered): Outcome {
  if (outcome.kind === 'failed') return { ...outcome, sent: false };
  const { isInterrupted, ...refused } = { isInterrupted: undefined, ...outcome };
  return refused;
}

function endpointOf(task: OpenTask) {
  const { url, site_key_encrypted } = task;
  if (url === null) throw new Error('The site has no activation.');
  return decideEndpoint({ ...task, url, has_site_key: site_key_encrypted !== null });
}

export function targetOf(
  task: OpenTask,
  { secrets }: Pick<CallDependencies, 'secrets'>,
): SiteTarget {
  const { url, site_key_encrypted, license_key_encrypted, web_login_encrypted: login } = task;
  if (url === null) throw new Error('The site has no activation.');
  const serviceKey = site_key_encrypted
    ? secrets.decrypt(site_key_encrypted, 'site_key')
    : license_key_encrypted && secrets.decrypt(license_key_encrypted, 'license_key');
  if (!serviceKey) throw new Error('The site has no key.');
  const webLogin = login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
  const { callUrl, chosenUrl, needsProof } = endpointOf(task);
  // Without a proven endpoint, the site can only be observed, which needs no key.
  if (callUrl === null && needsProof)
    return { siteUrl: url, endpointUrl: chosenUrl, serviceKey: '', webLogin };
  return { siteUrl: url, endpointUrl: callUrl, serviceKey, webLogin };
}

function decideAfterCall(
  { task, tries }: DispatchedCall,
  outcome: Outcome,
  deps: CallDependencies,
): Step {
  const result = toTaskResult(outcome, task.items);
  const isSync = task.kind === 'sync';
  if (isStopped(outcome))
    return createRelease(0, result.sent && !isSync ? result : 'not_called', tries);
  const cause = retryCauseOf(outcome, task);
  if (cause !== null) {
    const retries = tries[cause] ?? 0;
    const delay = deps.delays[cause][retries];
    if (delay !== undefined) {
      return createRelease(delay, 'not_called', { ...tries, [cause]: retries + 1 });
    }
  }
  if (result.status !== 'unknown') return { kind: 'end', result };
  // A sync changes nothing on the site, so there is nothing to reconcile.
  if (isSync) return { kind: 'end', result: { ...result, status: 'failed' } };
  return createRelease(deps.delays.reconcile[0] ?? 0, result, {});
}

/**
 * Adds a note to the result of a call for all pending updates: someone may have deleted items since the last report, and
 * the site does not mention these. An item that the call named has its own result.
 */
async function noteDeletedItems(
  step: Step,
  { task }: DispatchedCall,
  outcome: Outcome,
  deps: CallDependencies,
): Promise<Step> {
  if (step.kind !== 'end' || task.kind !== 'update' || task.items !== null) return step;
  if (outcome.kind !== 'answered' || !('results' in outcome.body)) return step;
  const before = await deps.readInventoryBefore(task.id);
  const missing = before ? findMissingItems(before, outcome.body) : [];
  if (missing.length === 0) return step;
  const { inventory } = await deps.readLastReport(task.site_id);
  const note = inventory && describeDeletedItems(missing, inventory);
  if (!note) return step;
  return { ...step, result: { ...step.result, notes: [...(step.result.notes ?? []), note] } };
}

/** Returns a cause only if the call certainly changed nothing on the site and a retry may succeed. */
function retryCauseOf(outcome: Outcome, { kind }: OpenTask): 'busy' | 'connect' | null {
  if (outcome.kind === 'busy') return 'busy';
  // A single action ends at once if the plugin responds `site_busy`: a user waits.
  if (isBusy(outcome)) return kind === 'plugin_action' ? null : 'busy';
  if (kind === 'sync' && isUnavailable(outcome)) return 'busy';
  if (outcome.kind !== 'failed' || (outcome.sent && kind !== 'sync')) return null;
  const isTransient = ['dns', 'connect', 'timeout', 'connection_lost'].includes(outcome.reason);
  return isTransient ? 'connect' : null;
}

/** Reconciles with a new report only: the stored inventory may date from before the call. */
async function decideAfterReconcileCall(
  call: Extract<DispatchedCall, { reconciles: true }>,
  outcome: Outcome,
  deps: CallDependencies,
): Promise<Step> {
  const { task } = call;
  const lost = task.code === null ? LOST_WITH_WORKER : task;
  const tries = { syncs: (call.tries.syncs ?? 0) + 1 };
  if (isStopped(outcome)) return createRelease(0, lost, tries);
  if (isDown(outcome)) return { kind: 'end', result: resultForDownSite(lost) };
  if (outcome.kind === 'answered') {
    const { inventory, inventory_at } = await deps.readLastReport(task.site_id);
    // Compares for equality, not order: the processes that store reports have different clocks.
    const isNew = inventory_at?.getTime() !== task.inventory_at?.getTime();
    if (isNew && inventory) {
      const before = await deps.readInventoryBefore(task.id);
      const result = reconcile(task, lost, { before, after: inventory });
      return { kind: 'end', result: await confirmByHomePage(result, targetOf(task, deps), deps) };
    }
    const fields = { task: task.id, site: task.site_id };
    deps.log.info(fields, 'Site responded to a sync but sent no report.');
  }
  const { reconcile: delays } = deps.delays;
  const delay = delays[Math.min(tries.syncs, delays.length - 1)] ?? 0;
  const isWorking = isBusy(outcome) || isUnavailable(outcome);
  if (delay < secondsLeft(call, deps, { isWorking })) return createRelease(delay, lost, tries);
  const hasResponded = outcome.kind === 'answered';
  return { kind: 'end', result: resultWithoutReport(lost, { hasResponded }) };
}

/** Returns the time left to reconcile. A site that is still working also gets the full timeout of its call. */
function secondsLeft(
  call: DispatchedCall,
  deps: CallDependencies,
  { isWorking = false } = {},
): number {
  const { reconcileLimit } = deps.delays;
  const { updateSeconds, actionSeconds } = deps.timeouts;
  const isAction = call.task.kind === 'plugin_action';
  const limit = isAction ? reconcileLimit.plugin_action : reconcileLimit.update;
  if (!isWorking) return limit - call.sinceLoss;
  return (isAction ? actionSeconds : updateSeconds) + limit - call.sinceCall;
}

const LOST_WITH_WORKER: LostCall = {
  http_status: null,
  code: 'site_unreachable',
  error: 'Steward stopped before the site responded.',
};

/** Whether the panel itself stopped the call. */
function isStopped(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.reason === 'stopped';
}

/** Whether the site is in maintenance or runs another update or action. */
function isBusy(outcome: Outcome): boolean {
  return outcome.kind === 'busy' || (outcome.kind === 'refused' && outcome.code === 'site_busy');
}

/** Whether the site reports that it is down, or responds with status 500. */
function isDown(outcome: Outcome): boolean {
  if (outcome.kind === 'refused') return outcome.code === 'site_down';
  return (
    outcome.kind === 'failed' && outcome.reason === 'http_status' && outcome.httpStatus === 500
  );
}

/** Whether a proxy, or a site that does not use our error codes, responded with 503. */
function isUnavailable(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.httpStatus === 503;
}

function createRelease(afterSeconds: number, callState: CallState, tries: RetryCounts) {
  return { kind: 'release' as const, afterSeconds, callState, tries };
}
