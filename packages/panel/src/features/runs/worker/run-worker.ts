import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../database/tables.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Notifications } from '../../../lib/notifications.ts';
import { type Job, type Queue, URGENT } from '../../../lib/queue.ts';
import type { Secrets } from '../../../lib/secrets.ts';
import type { SiteClient } from '../../../lib/site-client/index.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { SiteService } from '../../sites/sites.service.ts';
import { internalFault, type TaskResult } from '../task-result.ts';
import type { SiteToCall } from '../tasks.repository.ts';
import type { Addresses } from './addresses.ts';
import { createCallNotes, TakenOver } from './call-notes.ts';
import { type CallLimits, createCallSlots } from './call-slots.ts';
import { claimTasks } from './claim.ts';
import { PAUSES, type Pauses, performTask } from './perform-task.ts';
import { byPriority, createReadyLine, type Held, type Ready } from './ready-line.ts';
import { createResultWriter, untilWritten } from './result-writer.ts';

export type RunWorker = {
  /** Takes no more work, lets what is nearly done finish, and leaves the rest to others. */
  stop(): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  secrets: Secrets;
  sites: Pick<SiteService, 'lastReportOf' | 'noteCalls'>;
  queue: Queue;
  notifications: Pick<Notifications, 'on'>;
  siteClient: SiteClient;
  limits: CallLimits;
  log: Logger;
  addresses: Addresses;
  pauses?: Pauses;
  leaseSeconds: number;
  /** How long a worker that stops waits for its calls. */
  stopWithinMs?: number;
};

const LOOK_ANYWAY_MS = 1000;
const SITE_TAKEN_MS = 500;
const SLOW_NAMES_MS = 1000;
const STOP_WITHIN_MS = 5000;
/** Jobs taken in advance, to choose from. */
const READ_AHEAD = 200;
/** The same of urgent ones, taken also when there is plenty of others. */
const URGENT_AHEAD = 20;
/** Looked for beside a long run; with each call that ends it would cost more than the calls. */
const URGENT_LOOK_MS = 250;
/** Jobs this process holds at most, those included whose sites or addresses are busy. */
const MOST_HELD = 2000;
/** A worker with so many slots notes one call before it has its slot. */
const SLOTS_FOR_A_PERMIT_AHEAD = 10;

/** Does the tasks of all runs, as many at once as the limits allow. */
export function startRunWorker(deps: Dependencies): RunWorker {
  const { queue, log, siteClient, addresses } = deps;
  const worker = `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
  const slots = createCallSlots(deps.limits);
  const abort = new AbortController();
  /** Every job this process has, by task: waiting, or being done. */
  const mine = new Map<number, Job>();
  let waiting: Held[] = [];
  const performing = new Set<Promise<void>>();
  const claimAhead = Math.max(2, Math.ceil(deps.limits.total / 2));
  /** At each address: how many are ready or being called. */
  const claimedAt = new Map<string, number>();
  let isStopping = false;
  let isLooking = false;
  let looking: Promise<void> = Promise.resolve();
  let shouldLookAgain = false;
  let lookedForUrgentAt = 0;
  const isRunning = () => !abort.signal.aborted;
  // Several heartbeats may be lost before the lease is.
  const heartbeatMs = (deps.leaseSeconds * 1000) / 7.5;
  const notes = createCallNotes({ ...deps, isRunning });
  const writer = createResultWriter({ ...deps, isRunning });
  const permitsAhead = Math.floor(deps.limits.total / SLOTS_FOR_A_PERMIT_AHEAD);
  const latest = (job: Held): Job => mine.get(job.taskId) ?? job;
  const line = createReadyLine({ slots, notes, permitsAhead, latest });

  const stopListening = deps.notifications.on(() => look());
  const lookAnyway = setInterval(look, LOOK_ANYWAY_MS);
  const keep = setInterval(() => {
    queue
      .keep([...mine.values()])
      .catch((error) => log.warn({ reason: String(error) }, 'No heartbeat.'));
  }, heartbeatMs);

  /** One look at a time; what happens meanwhile makes for another. */
  function look(): void {
    if (isStopping) return;
    if (isLooking) {
      shouldLookAgain = true;
      return;
    }
    isLooking = true;
    looking = lookForWork()
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
    fillSlots();
    if (needsJobs()) await takeJobs(READ_AHEAD);
    else if (needsUrgentJobs()) await takeJobs(URGENT_AHEAD, 'urgent');
    if (!isStopping) await claim(chooseToClaim());
    fillSlots();
  }

  const isChoosable = (job: Held) =>
    job.notBefore <= performance.now() &&
    (claimedAt.get(job.address) ?? 0) < 2 * deps.limits.perAddress;
  const needsJobs = () =>
    mine.size < MOST_HELD && line.startable() + waiting.filter(isChoosable).length < READ_AHEAD / 2;
  const needsUrgentJobs = () =>
    performance.now() - lookedForUrgentAt >= URGENT_LOOK_MS &&
    waiting.filter(({ isUrgent }) => isUrgent).length < URGENT_AHEAD;

  async function takeJobs(count: number, only?: 'urgent'): Promise<void> {
    lookedForUrgentAt = performance.now();
    const jobs = await queue.take(count, only);
    // A job comes back when this process was not heard of for a while, though it still does it.
    const fresh = jobs.filter(({ taskId }) => !mine.has(taskId));
    for (const job of jobs) mine.set(job.taskId, job);
    const arrivals = Promise.all(fresh.map(arrive));
    // Whoever comes later is found by a later look.
    await Promise.race([arrivals, sleep(SLOW_NAMES_MS, undefined, { ref: false })]);
    if (jobs.length === count) shouldLookAgain = true;
  }

  /** As soon as it is known where its name leads, so that names which take long hold up nobody else. */
  async function arrive(job: Job): Promise<void> {
    const address = await addresses.of(job.host);
    waiting.push({ ...job, address, isUrgent: job.priority >= URGENT, notBefore: 0 });
  }

  function count(address: string, change: 1 | -1): void {
    const left = (claimedAt.get(address) ?? 0) + change;
    if (left === 0) claimedAt.delete(address);
    else claimedAt.set(address, left);
  }

  /** Not more of one address than can be called soon: they would keep others from being ready. */
  function chooseToClaim(): Held[] {
    const roomFor = (urgent: boolean) => slots.free(urgent) + claimAhead - line.startable(urgent);
    const room = { urgent: roomFor(true), other: roomFor(false) };
    const chosen: Held[] = [];
    waiting = waiting.sort(byPriority).filter((job) => {
      const kind = job.isUrgent ? 'urgent' : 'other';
      const isChosen = room[kind] > 0 && isChoosable(job);
      if (isChosen) {
        chosen.push(job);
        room[kind]--;
        count(job.address, 1);
      }
      return !isChosen;
    });
    return chosen;
  }

  async function claim(chosen: Held[]): Promise<void> {
    if (chosen.length === 0) return;
    const unclaimed = new Map(chosen.map((job) => [job.taskId, job]));
    const putBack = (job: Held) => {
      count(job.address, -1);
      waiting.push({ ...job, notBefore: performance.now() + SITE_TAKEN_MS });
    };
    try {
      const { begun, later } = await claimTasks(chosen.map(latest), { ...deps, worker });
      line.add(begun.map(({ task }) => ({ task, job: unclaimed.get(task.id) as Held })));
      for (const { task } of begun) unclaimed.delete(task.id);
      for (const { taskId } of later) {
        putBack(unclaimed.get(taskId) as Held);
        unclaimed.delete(taskId);
      }
      // What is left had nothing to be done any more.
      for (const { taskId, address } of unclaimed.values()) {
        mine.delete(taskId);
        count(address, -1);
      }
    } catch (error) {
      for (const job of unclaimed.values()) putBack(job);
      throw error;
    }
  }

  function fillSlots(): void {
    if (isStopping) return;
    line.fillSlots((next) => {
      const doing = perform(next).finally(() => performing.delete(doing));
      performing.add(doing);
    });
  }

  async function perform({ task, job, permit }: Ready): Promise<void> {
    // The first call has the slot it was chosen with, and maybe its permit.
    let hasSlot = true;
    const forget = () => {
      mine.delete(task.id);
      count(job.address, -1);
    };
    const withSlot = async <T>(call: (site: SiteToCall) => Promise<T>): Promise<T | null> => {
      const ahead = hasSlot ? permit : undefined;
      if (!hasSlot) await slots.take(job);
      hasSlot = false;
      try {
        // Before every call: in a pause this worker may have been believed dead, and be replaced.
        const given = (await ahead?.take()) ?? (await notes.begin({ task, job: latest(job) }));
        if (given === 'taken_over') throw new TakenOver();
        return given === 'site_not_active' ? null : await call(given.site);
      } finally {
        slots.release(job);
        fillSlots();
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
        markUnknown: notes.lost,
        readLastReport: (siteId) =>
          untilWritten(() => deps.sites.lastReportOf(siteId), { log, isRunning }),
      });
    } catch (error) {
      if (hasSlot) slots.release(job);
      if (error instanceof TakenOver) {
        log.info({ task: task.id }, 'A task was cancelled, or taken over by another worker.');
        // If nobody else has it, then somebody should see what is left of it, if anything is.
        const held = mine.get(task.id);
        forget();
        if (held) await queue.giveBack([held]).catch(() => {});
        return look();
      }
      log.error({ err: error, task: task.id }, 'A task failed in a way nobody thought of.');
      result = internalFault();
    }
    // Whoever comes next finds out what became of it, or does it if nothing was sent.
    if (abort.signal.aborted) {
      const wasSent = result.status !== 'failed' || result.code !== 'unavailable';
      if (!wasSent) await notes.undo(task);
      return;
    }
    try {
      await writer.submit({ task, jobId: job.id, result });
    } catch (error) {
      log.error({ err: error, task: task.id }, 'A result could not be written.');
    }
    forget();
    look();
  }

  look();
  return {
    async stop() {
      isStopping = true;
      stopListening();
      clearInterval(lookAnyway);
      await looking;
      // What is only ready was not called, and whoever comes next does it from the start.
      const left = line.leave();
      const ended = () => Promise.allSettled(performing);
      await Promise.race([
        ended(),
        sleep(deps.stopWithinMs ?? STOP_WITHIN_MS, undefined, { ref: false }),
      ]);
      abort.abort();
      clearInterval(keep);
      await siteClient.close();
      // They may have something to take back, for which their jobs must still be theirs.
      await Promise.all([ended(), ...left.map(({ permit }) => permit?.giveBack())]);
      await queue.giveBack([...mine.values()]).catch(() => {});
    },
  };
}
