import type { Inventory, PluginActionRequest } from '@steward/contract';
import type { SiteTimeouts } from '../../../platform/config.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import type {
  SiteAnswer,
  SiteClient,
  SiteOutcome,
  SiteTarget,
} from '../../../site-client/index.ts';
import type { ProofService } from '../../licenses/index.ts';
import type { SiteService } from '../../sites/index.ts';
import type { Tries } from '../jobs.ts';
import {
  type LostCall,
  notReported,
  reconcileAction,
  reconcileUpdate,
  siteIsDown,
} from '../outcome/reconcile.ts';
import { resultOf, type TaskResult } from '../outcome/task-outcome.ts';
import type { DispatchedCall } from './dispatch.ts';
import { callWithLooks, confirmed, wantsOutsideLook } from './outside-look.ts';
import type { OpenTask, Standing } from './tasks.repository.ts';

type Outcome = SiteOutcome<SiteAnswer>;

/** What follows from one call: the end of the task, or another attempt after a pause. */
export type Step =
  | { kind: 'end'; result: TaskResult }
  | { kind: 'release'; afterSeconds: number; standing: Standing; tries: Tries };

type Dependencies = {
  siteClient: SiteClient;
  secrets: Pick<Secrets, 'decrypt'>;
  lastReportOf: SiteService['lastReportOf'];
  pendingBefore(taskId: number): Promise<Inventory | null>;
  prove: ProofService['prove'];
  timeouts: SiteTimeouts;
  pauses: Pauses;
  signal: AbortSignal;
  log: Pick<Logger, 'info'>;
};

/** In seconds, from one attempt to the next. */
export const PAUSES = {
  /** A site that could not be reached; after the last there is no other attempt. */
  connect: [1, 3],
  /** A site that was busy. */
  busy: [1, 2, 5, 10, 20, 30],
  /** To find out what became of a lost call; the last one is repeated. */
  reconcile: [1, 3, 10, 15],
  /** Between two looks at a site that shows an error, and two attempts to have it put back. */
  look: 2,
  verdict: 5,
  /** Without a report for so long, this is given up. A user waits for a single action. */
  giveUp: { update: 120, plugin_action: 30 },
};
export type Pauses = typeof PAUSES;

const FIRST_ANSWER_SECONDS = 30;

/** Calls the site once. */
export async function callSite(call: DispatchedCall, deps: Dependencies): Promise<Step> {
  const startedAt = performance.now();
  // The key is not sent to an address that has not shown to have it.
  const proof = call.task.needs_proof ? await deps.prove(call.task.site_id) : null;
  // That may have taken long, and changed the key: the call itself is dispatched anew.
  if (proof?.reachable) return again(0, call.reconciles ? 'unchanged' : 'not_called', call.tries);
  const outcome = proof ? notSent(proof.outcome) : await send(call, deps);
  if (outcome.kind !== 'answered') {
    const { id: task, site_id: site } = call.task;
    const { code, httpStatus: http_status } = outcome;
    const { reason, detail } = { reason: null, detail: null, ...outcome };
    const facts = { task, site, code, reason, detail, http_status };
    deps.log.info(facts, 'A call to a site did not succeed.');
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
    // However late the first question comes, the site has time to answer it.
    const least = call.tries.asked ? 1 : FIRST_ANSWER_SECONDS;
    const seconds = Math.min(timeouts.actionSeconds, Math.max(least, patience(call, deps)));
    return siteClient.sync(target, { signal, seconds });
  }
  if (kind === 'sync') return siteClient.sync(target, { signal });
  const act = (looks: boolean) =>
    kind === 'update'
      ? siteClient.bulkUpdate(target, { signal, looks })
      : siteClient.pluginAction(target, request as PluginActionRequest, { signal, looks });
  const outcome = await act(false);
  return wantsOutsideLook(outcome) ? callWithLooks(target, () => act(true), deps) : outcome;
}

/** What stood in the way of the proof stands in the way of the call. */
function notSent(outcome: Exclude<Outcome, { kind: 'answered' }>): Outcome {
  if (outcome.kind === 'failed') return { ...outcome, sent: false };
  const { isBrokenOff, ...refused } = { isBrokenOff: undefined, ...outcome };
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
  if (result.status !== 'unknown') return { kind: 'end', result };
  // Nothing is changed by a sync, so there is nothing to find out.
  if (isSync) return { kind: 'end', result: { ...result, status: 'failed' } };
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
  outcome: Outcome,
  deps: Dependencies,
): Promise<Step> {
  const { task } = call;
  const lost = task.code === null ? LOST_WITH_ITS_WORKER : task;
  const asked = (call.tries.asked ?? 0) + 1;
  if (isStopped(outcome)) return again(0, lost, { asked });
  if (isDown(outcome)) return { kind: 'end', result: siteIsDown(lost) };
  if (outcome.kind === 'answered') {
    const { inventory, inventory_at } = await deps.lastReportOf(task.site_id);
    // Compared for equality: processes that take reports have clocks of their own.
    const isNew = inventory_at?.getTime() !== task.inventory_at?.getTime();
    if (isNew && inventory) {
      const before = await deps.pendingBefore(task.id);
      const result =
        task.kind === 'plugin_action'
          ? reconcileAction(lost, task.request as PluginActionRequest, before, inventory)
          : reconcileUpdate(lost, before, inventory);
      return { kind: 'end', result: await confirmed(result, targetOf(task, deps), deps) };
    }
    const facts = { task: task.id, site: task.site_id };
    deps.log.info(facts, 'A site has answered a sync, but sent no report.');
  }
  const { reconcile } = deps.pauses;
  const pause = reconcile[Math.min(asked, reconcile.length - 1)] ?? 0;
  const isAtWork = isBusy(outcome) || isUnavailable(outcome);
  if (pause < patience(call, deps, { isAtWork })) return again(pause, lost, { asked });
  const hasAnswered = outcome.kind === 'answered';
  return { kind: 'end', result: notReported(lost, { hasAnswered }) };
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

/** It dies of an error of its own in every request. */
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

function again(afterSeconds: number, standing: Standing, tries: Tries): Step {
  return { kind: 'release', afterSeconds, standing, tries };
}
