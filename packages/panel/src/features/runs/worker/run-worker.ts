import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../database/tables.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Notifications } from '../../../lib/notifications.ts';
import type { Job, Queue } from '../../../lib/queue.ts';
import type { Secrets } from '../../../lib/secrets.ts';
import type { SiteClient } from '../../../lib/site-client/index.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { SiteService } from '../../sites/sites.service.ts';
import { notify } from '../runs.repository.ts';
import type { TaskResult } from '../task-result.ts';
import { markUnknown, type TaskToDo } from '../tasks.repository.ts';
import { type Addresses, createAddresses } from './addresses.ts';
import { type CallLimits, createCallSlots } from './call-slots.ts';
import { claimTasks } from './claim.ts';
import { PAUSES, type Pauses, performTask } from './perform-task.ts';
import { createResultWriter } from './result-writer.ts';

export type RunWorker = {
  /** Takes no more work, lets what is nearly done finish, and leaves the rest to others. */
  stop(): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  secrets: Secrets;
  sites: Pick<SiteService, 'inventoryOf'>;
  queue: Queue;
  notifications: Pick<Notifications, 'on'>;
  siteClient: SiteClient;
  limits: CallLimits;
  log: Logger;
  addresses?: Addresses;
  pauses?: Pauses;
};

type Held = Job & { address: string; notBefore: number };

const LOOK_ANYWAY_MS = 1000;
const SITE_TAKEN_MS = 500;
const KEEP_MS = 4000;
const STOP_WITHIN_MS = 5000;
/** Taken in advance, so that a slot that becomes free is filled at once. */
const READ_AHEAD = 200;

/** Does the tasks of all runs, as many at once as the limits allow. */
export function startRunWorker(deps: Dependencies): RunWorker {
  const { db, queue, log, siteClient } = deps;
  const worker = `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
  const slots = createCallSlots(deps.limits);
  const addresses = deps.addresses ?? createAddresses();
  const abort = new AbortController();
  /** Every job this process has, by task: waiting, or being done. */
  const mine = new Map<number, Job>();
  let waiting: Held[] = [];
  let isStopping = false;
  let isLooking = false;
  let shouldLookAgain = false;
  const writer = createResultWriter({ ...deps, isRunning: () => !abort.signal.aborted });

  const stopListening = deps.notifications.on(() => look());
  const lookAnyway = setInterval(look, LOOK_ANYWAY_MS);
  const keep = setInterval(() => {
    const jobIds = [...mine.values()].map(({ id }) => id);
    queue.keep(jobIds).catch((error) => log.warn({ reason: String(error) }, 'No heartbeat.'));
  }, KEEP_MS);
  look();

  /** One look at a time; what happens meanwhile makes for another. */
  function look(): void {
    if (isStopping) return;
    if (isLooking) {
      shouldLookAgain = true;
      return;
    }
    isLooking = true;
    lookForWork()
      .catch((error) => log.warn({ reason: String(error) }, 'The worker could not look for work.'))
      .finally(() => {
        isLooking = false;
        if (shouldLookAgain) {
          shouldLookAgain = false;
          look();
        }
      });
  }

  async function lookForWork(): Promise<void> {
    const room = deps.limits.total + READ_AHEAD - mine.size;
    if (room > READ_AHEAD / 2 && slots.free() > 0) await takeJobs(room);
    await begin(takeSlots());
  }

  async function takeJobs(count: number): Promise<void> {
    const jobs = await queue.take(count);
    // A job comes back when this process was not heard of for a while, though it still does it.
    const fresh = jobs.filter(({ taskId }) => !mine.has(taskId));
    for (const job of fresh) mine.set(job.taskId, job);
    const found = await Promise.all(
      fresh.map(async (job) => ({
        ...job,
        address: await addresses.of(job.host),
        notBefore: 0,
      })),
    );
    waiting.push(...found);
    if (jobs.length === count) shouldLookAgain = true;
  }

  /** Those that wait and may be called now; each has its slot. */
  function takeSlots(): Held[] {
    const now = performance.now();
    const chosen: Held[] = [];
    waiting = waiting.filter((job) => {
      const isNext = slots.free() > 0 && job.notBefore <= now && slots.tryTake(job.address);
      if (isNext) chosen.push(job);
      return !isNext;
    });
    return chosen;
  }

  async function begin(chosen: Held[]): Promise<void> {
    if (chosen.length === 0) return;
    const heldOf = new Map(chosen.map((job) => [job.taskId, job]));
    try {
      const { begun, later } = await claimTasks(chosen, { ...deps, worker });
      for (const { task, job } of begun) {
        const { address } = heldOf.get(task.id) as Held;
        heldOf.delete(task.id);
        void perform(task, job, address);
      }
      for (const { taskId } of later) {
        const held = heldOf.get(taskId);
        if (held) waiting.push({ ...held, notBefore: performance.now() + SITE_TAKEN_MS });
        if (held) slots.release(held.address);
        heldOf.delete(taskId);
      }
      // What is left had nothing to be done any more.
      for (const { taskId, address } of heldOf.values()) {
        mine.delete(taskId);
        slots.release(address);
      }
    } catch (error) {
      for (const held of heldOf.values()) {
        slots.release(held.address);
        waiting.push({ ...held, notBefore: performance.now() + SITE_TAKEN_MS });
      }
      throw error;
    }
  }

  async function perform(task: TaskToDo, job: Job, address: string): Promise<void> {
    // The first call has the slot it was chosen with.
    let hasSlot = true;
    const withSlot = async <T>(call: () => Promise<T>): Promise<T> => {
      if (!hasSlot) await slots.take(address);
      hasSlot = false;
      try {
        return await call();
      } finally {
        slots.release(address);
        look();
      }
    };
    let result: TaskResult;
    try {
      result = await performTask(task, {
        ...deps,
        signal: abort.signal,
        pauses: deps.pauses ?? PAUSES,
        withSlot,
        markUnknown: (lost) => noteLostCall(lost),
        readInventory: (siteId) => deps.sites.inventoryOf(siteId),
      });
    } catch (error) {
      if (hasSlot) slots.release(address);
      log.error({ err: error, task: task.id }, 'A task failed in a way nobody thought of.');
      result = INTERNAL_FAULT;
    }
    // Whoever comes next finds out what became of it.
    if (abort.signal.aborted) return;
    try {
      await writer.submit({ task, jobId: job.id, result });
    } catch (error) {
      log.error({ err: error, task: task.id }, 'A result could not be written.');
    }
    mine.delete(task.id);
    look();
  }

  async function noteLostCall(task: TaskToDo): Promise<void> {
    await db
      .transaction()
      .execute(async (trx) => {
        await trx
          .selectFrom('runs')
          .select('id')
          .where('id', '=', task.run_id)
          .forUpdate()
          .execute();
        await markUnknown(trx, task.id, task.attempt);
        await notify(trx, [task.run_id]);
      })
      .catch((error) => log.warn({ reason: String(error) }, 'A lost call could not be noted.'));
  }

  return {
    async stop() {
      isStopping = true;
      stopListening();
      clearInterval(lookAnyway);
      const deadline = performance.now() + STOP_WITHIN_MS;
      const isWaiting = new Set(waiting.map(({ taskId }) => taskId));
      const isBusy = () => [...mine.keys()].some((taskId) => !isWaiting.has(taskId));
      while (isBusy() && performance.now() < deadline) await sleep(50);
      abort.abort();
      clearInterval(keep);
      await siteClient.close();
      const left = [...mine.values()].map(({ id }) => id);
      await queue.giveBack(left).catch(() => {});
    },
  };
}

const INTERNAL_FAULT: TaskResult = {
  status: 'failed',
  http_status: null,
  code: 'internal_error',
  error: 'Something went wrong in the panel. Its log says what.',
  details: null,
};
