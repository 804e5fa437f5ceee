import type { Database } from '../../../database/tables.ts';
import { createBatcher } from '../../../lib/batcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
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

/** What the database knows of a call while it is under way, for whoever may have to take it over. */
export type CallNotes = {
  /** Before each call: the task may be another worker's by now, or the site no longer active. */
  begin(task: TaskToDo): Promise<CallPermit>;
  /** The answer was lost; what became of the call is being looked up. */
  lost(task: TaskToDo): Promise<void>;
  /** Nothing was sent after all. */
  undo(task: TaskToDo): Promise<void>;
};

type Dependencies = { db: Database; clock: Clock; log: Logger; isRunning(): boolean };

const MOST_AT_ONCE = 200;

export function createCallNotes({ db, clock, log, isRunning }: Dependencies): CallNotes {
  const beginnings = createBatcher<TaskToDo, CallPermit>({
    run: (tasks) => untilWritten(() => permitsFor(tasks), { log, isRunning }),
    keyOf: ({ id }) => String(id),
    maxBatchSize: MOST_AT_ONCE,
    isFaultOfOne: () => false,
  });

  async function permitsFor(tasks: TaskToDo[]): Promise<CallPermit[]> {
    const sites = await noteCalls(db, tasks, clock.now());
    const without = tasks.filter(({ id }) => !sites.has(id));
    const ours = without.length === 0 ? new Set() : await stillOurs(db, without);
    return tasks.map(({ id }) => {
      const site = sites.get(id);
      if (site) return { site };
      return ours.has(id) ? 'site_not_active' : 'taken_over';
    });
  }

  // These two are for people and for a quicker restart; the truth does not depend on them.
  const unlessInTheWay = (write: Promise<unknown>) =>
    write.then(
      () => {},
      (error) => log.warn({ reason: String(error) }, 'How a call stands could not be noted.'),
    );

  return {
    begin: (task) => beginnings.submit(task),
    lost: (task) =>
      unlessInTheWay(
        db.transaction().execute(async (trx) => {
          await lockRuns(trx, [task.run_id]);
          await markUnknown(trx, task.id, task.attempt);
          await notify(trx, [task.run_id]);
        }),
      ),
    undo: (task) => unlessInTheWay(forgetCall(db, task)),
  };
}
