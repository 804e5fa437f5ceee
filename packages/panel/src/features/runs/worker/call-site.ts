import type { BulkUpdateResponse, PluginActionRequest } from '@steward/contract';
import type { Logger } from '../../../lib/logger.ts';
import type { Secrets } from '../../../lib/secrets.ts';
import type { SiteClient, SiteOutcome, SiteTimeouts } from '../../../lib/site-client/index.ts';
import type { SiteService } from '../../sites/sites.service.ts';
import type { Tries } from '../jobs.ts';
import {
  type LostCall,
  notAnswered,
  notReported,
  reconcileAction,
  reconcileUpdate,
} from '../outcome/reconcile.ts';
import { resultOf, type TaskResult } from '../outcome/task-outcome.ts';
import type { DispatchedCall } from './dispatch.ts';
import type { OpenTask, Standing } from './tasks.repository.ts';

type Outcome = SiteOutcome<BulkUpdateResponse | object>;

/** What follows from one call: the end of the task, or another attempt after a pause. */
export type Step =
  | { kind: 'end'; result: TaskResult }
  | { kind: 'again'; afterSeconds: number; standing: Standing; tries: Tries };

type Dependencies = {
  siteClient: SiteClient;
  secrets: Pick<Secrets, 'decrypt'>;
  lastReportOf: SiteService['lastReportOf'];
  timeouts: SiteTimeouts;
  pauses: Pauses;
  signal: AbortSignal;
  log: Pick<Logger, 'info'>;
};

/** In seconds, from one attempt to the next. */
export type Pauses = {
  /** A site that could not be reached; after the last there is no other attempt. */
  connect: number[];
  /** A site that was busy. */
  busy: number[];
  /** To find out what became of a lost call; the last one is repeated. */
  reconcile: number[];
  /** After so long without a report, what became of the call is given up. */
  giveUp: { update: number; plugin_action: number };
};

export const PAUSES: Pauses = {
  connect: [1, 3],
  busy: [1, 2, 5, 10, 20, 30],
  reconcile: [1, 3, 10, 15],
  // A user waits for the end of a single action.
  giveUp: { update: 120, plugin_action: 30 },
};

const FIRST_ANSWER_SECONDS = 30;

/** Calls the site once. */
export async function callSite(
  call: DispatchedCall,
  tries: Tries,
  deps: Dependencies,
): Promise<Step> {
  const startedAt = performance.now();
  const outcome = await send(call, tries, deps);
  if (outcome.kind !== 'answered') logProblem(call.task, outcome, deps);
  if (!call.reconciles) return afterCall(call, tries, outcome, deps);
  const seconds = (performance.now() - startedAt) / 1000;
  const { sinceCall, sinceLoss } = call;
  const asked = { ...call, sinceCall: sinceCall + seconds, sinceLoss: sinceLoss + seconds };
  return afterReconcileCall(asked, tries, outcome, deps);
}

function send(call: DispatchedCall, tries: Tries, deps: Dependencies): Promise<Outcome> {
  const { siteClient, secrets, signal, timeouts } = deps;
  const { url, endpoint_url, license_key_encrypted } = call.task;
  if (url === null || license_key_encrypted === null)
    throw new Error('The site has no activation.');
  const serviceKey = secrets.decrypt(license_key_encrypted, 'license_key');
  const target = { siteUrl: url, endpointUrl: endpoint_url, serviceKey };
  if (call.reconciles) {
    // However late the first question comes, the site has time to answer it.
    const least = tries.asked ? 1 : FIRST_ANSWER_SECONDS;
    const seconds = Math.min(timeouts.actionSeconds, Math.max(least, patience(call, deps)));
    return siteClient.sync(target, { signal, seconds });
  }
  if (call.task.kind === 'sync') return siteClient.sync(target, { signal });
  if (call.task.kind === 'update') return siteClient.bulkUpdate(target, { signal });
  return siteClient.pluginAction(target, requestOf(call.task), { signal });
}

function afterCall(
  { task }: DispatchedCall,
  tries: Tries,
  outcome: Outcome,
  deps: Dependencies,
): Step {
  const result = resultOf(outcome);
  const isSync = task.kind === 'sync';
  if (isStopped(outcome)) return again(0, result.sent && !isSync ? result : 'not_called', tries);
  const hindrance = hindranceOf(outcome, task);
  if (hindrance !== null) {
    const tried = tries[hindrance] ?? 0;
    const pause = deps.pauses[hindrance][tried];
    const more = { ...tries, [hindrance]: tried + 1 };
    if (pause !== undefined) return again(pause, 'not_called', more);
  }
  if (result.status !== 'unknown') return end(result);
  // Nothing is changed by a sync, so there is nothing to find out.
  if (isSync) return end({ ...result, status: 'failed' });
  return again(deps.pauses.reconcile[0] ?? 0, result, {});
}

/** What stood in the way, where the site certainly did not do what was asked and might do it later. */
function hindranceOf(outcome: Outcome, { kind }: OpenTask): 'busy' | 'connect' | null {
  if (outcome.kind === 'busy') return 'busy';
  // A user waits for a single action, and is told that the site is busy.
  if (isBusy(outcome)) return kind === 'plugin_action' ? null : 'busy';
  if (kind === 'sync' && isUnavailable(outcome)) return 'busy';
  if (outcome.kind !== 'failed' || (outcome.sent && kind !== 'sync')) return null;
  const maySucceed = ['dns', 'connect', 'timeout', 'connection_lost'].includes(outcome.reason);
  return maySucceed ? 'connect' : null;
}

/** The site was asked to report. Its yes is no report: what is stored may be from before the call. */
async function afterReconcileCall(
  call: DispatchedCall,
  tries: Tries,
  outcome: Outcome,
  deps: Dependencies,
): Promise<Step> {
  const { task } = call;
  const lost = lossOf(task);
  const asked = (tries.asked ?? 0) + 1;
  if (isStopped(outcome)) return again(0, lost, { asked });
  if (outcome.kind === 'answered') {
    const { inventory, inventory_at } = await deps.lastReportOf(task.site_id);
    // Compared for equality: processes that take reports have clocks of their own.
    const isNew = inventory_at?.getTime() !== task.inventory_at?.getTime();
    if (isNew && inventory) {
      return end(
        task.kind === 'plugin_action'
          ? reconcileAction(lost, requestOf(task), task.pending_before, inventory)
          : reconcileUpdate(lost, task.pending_before, inventory),
      );
    }
    const facts = { task: task.id, site: task.site_id };
    deps.log.info(facts, 'A site has answered a sync, but sent no report.');
  }
  const { reconcile } = deps.pauses;
  const pause = reconcile[Math.min(asked, reconcile.length - 1)] ?? 0;
  const isAtWork = isBusy(outcome) || isUnavailable(outcome);
  if (pause < patience(call, deps, { isAtWork })) return again(pause, lost, { asked });
  return end(outcome.kind === 'answered' ? notReported(lost) : notAnswered(lost));
}

/** For so many seconds more the site is asked; one that says it is at work, for as long as it may be. */
function patience(call: DispatchedCall, deps: Dependencies, { isAtWork = false } = {}): number {
  const { giveUp } = deps.pauses;
  const { updateSeconds, actionSeconds } = deps.timeouts;
  const isAction = call.task.kind === 'plugin_action';
  const beyond = isAction ? giveUp.plugin_action : giveUp.update;
  if (!isAtWork) return beyond - call.sinceLoss;
  return (isAction ? actionSeconds : updateSeconds) + beyond - call.sinceCall;
}

function lossOf({ http_status, code, error }: OpenTask): LostCall {
  return code === null ? LOST_WITH_ITS_WORKER : { http_status, code, error };
}

const LOST_WITH_ITS_WORKER: LostCall = {
  http_status: null,
  code: 'site_unreachable',
  error: 'The panel was stopped before the site had answered.',
};

/** The panel itself has ended the call. */
function isStopped(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.reason === 'stopped';
}

/** In maintenance, or running another update or action. */
function isBusy(outcome: Outcome): boolean {
  return outcome.kind === 'busy' || (outcome.kind === 'refused' && outcome.code === 'site_busy');
}

/** A 503 from a proxy, or from a site that does not use our error codes. */
function isUnavailable(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.httpStatus === 503;
}

function again(afterSeconds: number, standing: Standing, tries: Tries): Step {
  return { kind: 'again', afterSeconds, standing, tries };
}

function end(result: TaskResult): Step {
  return { kind: 'end', result };
}

function requestOf({ request }: OpenTask): PluginActionRequest {
  return request as PluginActionRequest;
}

function logProblem(
  { id, site_id }: OpenTask,
  outcome: Exclude<Outcome, { kind: 'answered' }>,
  { log }: Dependencies,
): void {
  const { httpStatus: http_status, code } = outcome;
  const { reason, detail } = { reason: null, detail: null, ...outcome };
  const facts = { task: id, site: site_id, code, reason, detail, http_status };
  log.info(facts, 'A call to a site did not succeed.');
}
