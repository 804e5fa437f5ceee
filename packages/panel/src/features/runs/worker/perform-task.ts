import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkUpdateResponse, Inventory, PluginActionRequest } from '@steward/contract';
import type { Logger } from '../../../lib/logger.ts';
import type { Secrets } from '../../../lib/secrets.ts';
import type { SiteClient, SiteOutcome, SiteTarget } from '../../../lib/site-client/index.ts';
import type { LastReport } from '../../sites/sites.service.ts';
import { notAnswered, settleAction, settleUpdate } from '../settlement.ts';
import { resultOf, siteNotActive, type TaskResult } from '../task-result.ts';
import type { SiteToCall, TaskToDo } from '../tasks.repository.ts';

type Outcome = SiteOutcome<BulkUpdateResponse | object>;

type Dependencies = {
  siteClient: SiteClient;
  secrets: Pick<Secrets, 'decrypt'>;
  signal: AbortSignal;
  /**
   * A call needs a slot; a pause between two does not. Null, and no call: the site is not active any
   * more.
   */
  withSlot<T>(call: (site: SiteToCall) => Promise<T>): Promise<T | null>;
  markUnknown(task: TaskToDo): Promise<void>;
  readLastReport(siteId: number): Promise<LastReport>;
  pauses: Pauses;
  log: Pick<Logger, 'info'>;
};

/** Between one attempt and the next, in seconds; after the last there is no other. */
export type Pauses = {
  /** A site that could not be reached. */
  connect: number[];
  /** One that was busy. */
  busy: number[];
  /** To find out what became of a lost call. */
  settle: SettlePauses;
  /** The same for a single action: somebody waits. */
  settleAction: SettlePauses;
};

type SettlePauses = {
  /** At a site that does not answer as it should, or does not report. */
  faulty: number[];
  /** At one that says it is busy, as it does for as long as it works. */
  busy: number[];
};

export const PAUSES: Pauses = {
  connect: [1, 3],
  busy: [1, 2, 5, 10, 20, 30],
  // As long as updates and actions may take by default, a quarter of an hour and five minutes.
  settle: { faulty: [1, 3, 10, 30, 60], busy: [1, 2, 5, 10, ...Array<number>(60).fill(15)] },
  settleAction: { faulty: [1, 3, 10], busy: [1, 2, 5, 10, ...Array<number>(19).fill(15)] },
};

/** Calls a site for one task, as often as is right, and finds out what became of a call that was lost. */
export async function performTask(task: TaskToDo, deps: Dependencies): Promise<TaskResult> {
  // A sync that was lost with its worker is simply asked for again.
  if (task.status === 'unknown' && task.kind !== 'sync') {
    return settle(task, deps, { ...LOST_WITH_ITS_WORKER });
  }
  const outcome = await callWithPatience(
    task,
    (target) => callOnce(task, target, deps),
    (each) => pausesFor(each, task, deps.pauses),
    deps,
  );
  // If there were tries before, none of them reached the site or all were turned away.
  if (outcome === null) return siteNotActive({ isLost: false });
  const result = resultOf(outcome);
  if (result.status !== 'unknown') return result;
  // Nothing is changed by a sync, so there is nothing to find out.
  if (task.kind === 'sync') return { ...result, status: 'failed' };
  await deps.markUnknown(task);
  return settle(task, deps, result);
}

const LOST_WITH_ITS_WORKER: TaskResult = {
  status: 'unknown',
  http_status: null,
  code: 'site_unreachable',
  error: 'The panel was stopped before the site had answered.',
  details: null,
};

function callOnce(task: TaskToDo, target: SiteTarget, deps: Dependencies): Promise<Outcome> {
  const { siteClient, signal } = deps;
  switch (task.kind) {
    case 'plugin_action':
      return siteClient.pluginAction(target, requestOf(task), { signal });
    case 'sync':
      return siteClient.sync(target, { signal });
    default:
      return siteClient.bulkUpdate(target, { signal });
  }
}

/** Only what certainly did not reach the site, or was turned away because the site was busy. */
function pausesFor(outcome: Outcome, { kind }: TaskToDo, pauses: Pauses): number[] {
  if (outcome.kind === 'busy') return pauses.busy;
  // Somebody waits for a single action, and is told that the site is busy.
  if (isBusy(outcome)) return kind === 'plugin_action' ? [] : pauses.busy;
  // A sync changes nothing, so whoever made the 503 may be asked again.
  if (kind === 'sync' && isUnavailable(outcome)) return pauses.busy;
  if (outcome.kind !== 'failed' || outcome.reason === 'stopped') return [];
  const isHarmless = !outcome.sent || kind === 'sync';
  const maySucceed = ['dns', 'connect', 'timeout', 'connection_lost'].includes(outcome.reason);
  return isHarmless && maySucceed ? pauses.connect : [];
}

/** In maintenance, or at work for somebody else. */
function isBusy(outcome: Outcome): boolean {
  return outcome.kind === 'busy' || (outcome.kind === 'refused' && outcome.code === 'site_busy');
}

/** A 503 of whatever stands before the site, or of a site that does not say it in words we know. */
function isUnavailable(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.httpStatus === 503;
}

/** Asks the site to report, until it does, and compares what it had with what it has. */
async function settle(task: TaskToDo, deps: Dependencies, lost: TaskResult): Promise<TaskResult> {
  const { siteClient, signal } = deps;
  const pauses = task.kind === 'plugin_action' ? deps.pauses.settleAction : deps.pauses.settle;
  const reports = newReports(task, deps);
  let after: Inventory | null = null;
  const outcome = await callWithPatience(
    task,
    (target) => siteClient.sync(target, { signal }),
    async (each) => {
      if (each.kind !== 'answered') {
        return isBusy(each) || isUnavailable(each) ? pauses.busy : pauses.faulty;
      }
      after = await reports.read();
      return after === null ? pauses.faulty : [];
    },
    { ...deps, withSlot: reports.withSlot },
  );
  if (outcome === null) return siteNotActive({ isLost: true });
  if (outcome.kind !== 'answered') return notAnswered(lost);
  return task.kind === 'plugin_action'
    ? settleAction(lost, requestOf(task), task.pending_before, after)
    : settleUpdate(lost, task.pending_before, after);
}

/**
 * What a site reports because of a call. Its yes to a sync is no report: that may have been turned
 * away, and what is stored would then be from before the call that was lost. Whether there is a new one
 * is seen by the time of the last having changed: processes that take reports have clocks of their own.
 */
function newReports({ id, site_id }: TaskToDo, { readLastReport, withSlot, log }: Dependencies) {
  let reportedBefore: number | undefined;
  return {
    withSlot: async <T>(call: (site: SiteToCall) => Promise<T>): Promise<T | null> => {
      reportedBefore = (await readLastReport(site_id)).inventory_at?.getTime();
      return withSlot(call);
    },
    async read(): Promise<Inventory | null> {
      const { inventory, inventory_at } = await readLastReport(site_id);
      if (inventory_at?.getTime() !== reportedBefore) return inventory;
      log.info({ task: id, site: site_id }, 'A site has answered a sync, but sent no report.');
      return null;
    },
  };
}

async function callWithPatience(
  task: TaskToDo,
  call: (target: SiteTarget) => Promise<Outcome>,
  pausesAfter: (outcome: Outcome) => number[] | Promise<number[]>,
  { withSlot, secrets, signal, log }: Dependencies,
): Promise<Outcome | null> {
  // Counted for each kind apart: whoever was busy for long may still miss a connection once.
  const tries = new Map<number[], number>();
  for (;;) {
    const outcome = await withSlot((site) => call(targetOf(site, secrets)));
    if (outcome === null) return null;
    if (outcome.kind !== 'answered')
      log.info(factsOf(task, outcome), 'A call to a site did not succeed.');
    const pauses = await pausesAfter(outcome);
    const tried = tries.get(pauses) ?? 0;
    tries.set(pauses, tried + 1);
    const pauseSeconds = pauses[tried];
    if (pauseSeconds === undefined || signal.aborted) return outcome;
    await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => {});
  }
}

function factsOf({ id, site_id }: TaskToDo, outcome: Exclude<Outcome, { kind: 'answered' }>) {
  const { httpStatus: http_status, code } = outcome;
  const { reason, detail } = { reason: null, detail: null, ...outcome };
  return { task: id, site: site_id, code, reason, detail, http_status };
}

function requestOf({ request }: TaskToDo): PluginActionRequest {
  return request as PluginActionRequest;
}

function targetOf(site: SiteToCall, secrets: Pick<Secrets, 'decrypt'>): SiteTarget {
  const { url, endpoint_url, license_key_encrypted } = site;
  return {
    siteUrl: url,
    endpointUrl: endpoint_url,
    serviceKey: secrets.decrypt(license_key_encrypted, 'license_key'),
  };
}
