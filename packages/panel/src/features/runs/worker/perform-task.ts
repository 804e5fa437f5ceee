import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkUpdateResponse, Inventory, PluginActionRequest } from '@steward/contract';
import type { Secrets } from '../../../lib/secrets.ts';
import type { SiteClient, SiteOutcome, SiteTarget } from '../../../lib/site-client/index.ts';
import { settleAction, settleUpdate } from '../settlement.ts';
import { resultOf, type TaskResult } from '../task-result.ts';
import type { TaskToDo } from '../tasks.repository.ts';

type Outcome = SiteOutcome<BulkUpdateResponse | object>;

type Dependencies = {
  siteClient: SiteClient;
  secrets: Pick<Secrets, 'decrypt'>;
  signal: AbortSignal;
  /** A call needs a slot; a pause between two does not. */
  withSlot<T>(call: () => Promise<T>): Promise<T>;
  markUnknown(task: TaskToDo): Promise<void>;
  /** What the site has reported last. */
  readInventory(siteId: number): Promise<Inventory | null>;
};

const CONNECT_PAUSES_SECONDS = [1, 3];
const BUSY_PAUSES_SECONDS = [1, 2, 5, 10, 20, 30];
/** To find out what became of a lost call: while the site works it refuses to be asked. */
const SETTLE_PAUSES_SECONDS = [1, 2, 5, 10, 20, 30, 30, 30, 30, 30];

/** Calls a site for one task, as often as is right, and finds out what became of a call that was lost. */
export async function performTask(task: TaskToDo, deps: Dependencies): Promise<TaskResult> {
  const target = targetOf(task, deps.secrets);
  if (task.status === 'unknown') {
    return settle(task, target, deps, { ...LOST_WITH_ITS_WORKER });
  }
  const outcome = await callWithPatience(
    () => callOnce(task, target, deps),
    (each) => pausesFor(each, task),
    deps,
  );
  const result = resultOf(outcome);
  if (result.status !== 'unknown') return result;
  // Nothing is changed by a sync, so there is nothing to find out.
  if (task.kind === 'sync') return { ...result, status: 'failed' };
  await deps.markUnknown(task);
  return settle(task, target, deps, result);
}

const LOST_WITH_ITS_WORKER: TaskResult = {
  status: 'unknown',
  http_status: null,
  code: 'site_unreachable',
  error: 'The panel was stopped while the site worked, and the site could not be asked since.',
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
function pausesFor(outcome: Outcome, { kind }: TaskToDo): number[] {
  if (outcome.kind === 'busy') return BUSY_PAUSES_SECONDS;
  // Somebody waits for a single action, and is told that the site is busy.
  if (outcome.kind === 'refused' && outcome.code === 'site_busy') {
    return kind === 'plugin_action' ? [] : BUSY_PAUSES_SECONDS;
  }
  if (outcome.kind !== 'failed' || outcome.reason === 'stopped') return [];
  const isHarmless = !outcome.sent || kind === 'sync';
  const maySucceed = ['dns', 'connect', 'timeout', 'connection_lost'].includes(outcome.reason);
  return isHarmless && maySucceed ? CONNECT_PAUSES_SECONDS : [];
}

/** Asks the site to report, until it does, and compares what it had with what it has. */
async function settle(
  task: TaskToDo,
  target: SiteTarget,
  deps: Dependencies,
  lost: TaskResult,
): Promise<TaskResult> {
  const { siteClient, signal } = deps;
  const outcome = await callWithPatience(
    () => siteClient.sync(target, { signal }),
    (each) => (each.kind === 'answered' ? [] : SETTLE_PAUSES_SECONDS),
    deps,
  );
  if (outcome.kind !== 'answered') return lost;
  const after = await deps.readInventory(task.site_id);
  return task.kind === 'plugin_action'
    ? settleAction(requestOf(task), task.pending_before, after)
    : settleUpdate(task.pending_before, after);
}

async function callWithPatience(
  call: () => Promise<Outcome>,
  pausesAfter: (outcome: Outcome) => number[],
  { withSlot, signal }: Dependencies,
): Promise<Outcome> {
  for (let tries = 0; ; tries++) {
    const outcome = await withSlot(call);
    const pauseSeconds = pausesAfter(outcome)[tries];
    if (pauseSeconds === undefined || signal.aborted) return outcome;
    await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => {});
  }
}

function requestOf({ request }: TaskToDo): PluginActionRequest {
  return request as PluginActionRequest;
}

function targetOf(task: TaskToDo, secrets: Pick<Secrets, 'decrypt'>): SiteTarget {
  if (task.url === null || task.license_key_encrypted === null) {
    throw new Error(`Task ${task.id} has no site to call.`);
  }
  return {
    siteUrl: task.url,
    endpointUrl: task.endpoint_url,
    serviceKey: secrets.decrypt(task.license_key_encrypted, 'license_key'),
  };
}
