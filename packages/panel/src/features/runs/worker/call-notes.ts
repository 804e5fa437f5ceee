import type { Database, Trx } from '../../../database/tables.ts';
import { createBatcher } from '../../../lib/batcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Queue, TakenJob } from '../../../lib/queue.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import { BY_WORKER, endUncalled } from '../cancellation.ts';
import { lockRuns, notify } from '../runs.repository.ts';
import {
  forgetCall,
  markUnknown,
  noteCalls,
  type SiteToCall,
  stillOurs,
  type TaskToDo,
} from '../tasks.repository.ts';
import { untilWritten } from './result-writer.ts';

/** The site as it is to be called now, or why it must not be. */
export type CallPermit = { site: SiteToCall } | 'taken_over' | 'site_not_active';

/** Thrown where a task turns out not to be this worker's any more. */
export class TakenOver extends Error {}

/** What the database knows of a call while it is under way, for whoever may have to take it over. */
export type CallNotes = {
  /** Before each call: the task may be another worker's by now, or the site no longer active. */
  begin(call: CallToBegin): Promise<CallPermit>;
  /** The answer was lost; what became of the call is being looked up. */
  lost(task: TaskToDo): Promise<void>;
  /** Nothing was sent after all. */
  undo(task: TaskToDo): Promise<void>;
};

export type CallToBegin = { task: TaskToDo; job: TakenJob };

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  queue: Pick<Queue, 'keep'>;
  log: Logger;
  leaseSeconds: number;
  isRunning(): boolean;
};

const MOST_AT_ONCE = 200;

export function createCallNotes(deps: Dependencies): CallNotes {
  const { db, clock, queue, log, isRunning } = deps;
  // With a third of the lease for the connection, half of it: for so long the job is surely held.
  const permitLastsMs = (deps.leaseSeconds * 1000) / 6;
  const beginnings = createBatcher<CallToBegin, CallPermit>({
    run: (calls) => untilWritten(() => permitsFor(calls), { log, isRunning }),
    keyOf: ({ task }) => String(task.id),
    maxBatchSize: MOST_AT_ONCE,
    isFaultOfOne: () => false,
  });

  async function permitsFor(calls: CallToBegin[]): Promise<CallPermit[]> {
    const sites = await noteCalls(db, calls, clock.now());
    const without = calls.filter(({ task }) => !sites.has(task.id));
    const others = await permitsOnSecondThought(without);
    return calls.map(({ task }) => {
      const site = sites.get(task.id);
      return site ? { site } : (others.get(task.id) ?? 'taken_over');
    });
  }

  /** They may only have lacked a word of this worker, because it or the database had stood still. */
  async function permitsOnSecondThought(calls: CallToBegin[]): Promise<Map<number, CallPermit>> {
    const permits = new Map<number, CallPermit>();
    const kept = await queue.keep(calls.map(({ job }) => job));
    const held = calls.filter(({ job }) => kept.has(job.id));
    if (held.length === 0) return permits;
    const sites = await noteCalls(db, held, clock.now());
    const ours = await stillOurs(
      db,
      held.map(({ task }) => task),
    );
    for (const id of ours) {
      const site = sites.get(id);
      permits.set(id, site ? { site } : 'site_not_active');
    }
    return permits;
  }

  /** A process that stood still may have been replaced since it was permitted to call: it asks again. */
  async function begin(call: CallToBegin): Promise<CallPermit> {
    for (;;) {
      const askedAt = performance.now();
      const permit = await beginnings.submit(call);
      if (performance.now() - askedAt < permitLastsMs) return permit;
    }
  }

  function markLost(task: TaskToDo): Promise<void> {
    return db.transaction().execute(async (trx) => {
      await lockRuns(trx, [task.run_id]);
      await markUnknown(trx, task.id, task.attempt);
      await notify(trx, [task.run_id]);
    });
  }

  async function undo(task: TaskToDo): Promise<void> {
    const notedBy = clock.now();
    const write = async (trx: Trx) => {
      const [run] = await lockRuns(trx, [task.run_id]);
      await forgetCall(trx, task, notedBy);
      // Whoever has cancelled it was told that this was under way. It is not any more.
      if (run?.cancelled_at && !run.finished_at) {
        await endUncalled(trx, run, { origin: BY_WORKER, reason: 'call_taken_back' }, deps);
      }
    };
    await untilWritten(() => db.transaction().execute(write), { log, isRunning });
  }

  // If this fails, more is noted than is true, never less; and a site is asked about what is noted.
  const unlessInTheWay = (write: Promise<unknown>) =>
    write.then(
      () => {},
      (error) => log.warn({ reason: String(error) }, 'How a call stands could not be noted.'),
    );

  return {
    begin,
    lost: (task) => unlessInTheWay(markLost(task)),
    undo: (task) => unlessInTheWay(undo(task)),
  };
}
