import type { Database } from '../../../database/tables.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Job, Queue } from '../../../lib/queue.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { SiteService } from '../../sites/sites.service.ts';
import { lockRuns, notify } from '../runs.repository.ts';
import { isActive } from '../site-standing.ts';
import { siteNotActive } from '../task-result.ts';
import { beginTasks, readTasks, runsOf, type TaskToDo, takeSites } from '../tasks.repository.ts';
import { type Ended, writeResults } from './result-writer.ts';

export type Claim = {
  /** Ours to do now. `status` says whether to call, or to find out what became of a lost call. */
  begun: { job: Job; task: TaskToDo }[];
  /** Somebody is calling that site at the moment. */
  later: Job[];
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  sites: Pick<SiteService, 'noteCalls'>;
  queue: Pick<Queue, 'finish' | 'stillTaken'>;
  worker: string;
};

/** Takes tasks for this worker: in one transaction, so that nobody else has them or their sites. */
export function claimTasks(held: Job[], deps: Dependencies): Promise<Claim> {
  const { db, clock, queue, worker } = deps;
  const jobOf = new Map(held.map((job) => [job.taskId, job]));
  const withJob = (task: TaskToDo) => ({ job: jobOf.get(task.id) as Job, task });

  return db.transaction().execute(async (trx) => {
    await lockRuns(
      trx,
      await runsOf(
        trx,
        held.map(({ taskId }) => taskId),
      ),
    );
    // This process may have stood still for so long that others do what it meant to.
    const stillTaken = await queue.stillTaken(trx, held);
    const jobs = held.filter(({ id }) => stillTaken.has(id));
    const taskIds = jobs.map(({ taskId }) => taskId);
    const tasks = await readTasks(trx, taskIds);
    const open = tasks.filter(({ finished_at }) => finished_at === null);
    const openIds = new Set(open.map(({ id }) => id));
    await queue.finish(
      trx,
      jobs.filter(({ taskId }) => !openIds.has(taskId)).map(({ id }) => id),
    );

    const refusals = open.filter((task) => !isActive(task, clock.now()));
    await writeResults(
      trx,
      refusals.map((task) => ended(withJob(task))),
      deps,
    );

    const callable = open.filter((task) => !refusals.includes(task));
    const taken = await takeSites(trx, callable, worker);
    const begun = callable.filter(({ id }) => taken.has(id));
    await beginTasks(
      trx,
      begun.map(({ id }) => id),
      clock.now(),
    );
    await notify(
      trx,
      begun.map(({ run_id }) => run_id),
    );
    return {
      begun: begun.map((task) => withJob(asBegun(task))),
      later: callable.filter(({ id }) => !taken.has(id)).map((task) => withJob(task).job),
    };
  });
}

/** As `beginTasks` has left it. */
function asBegun(task: TaskToDo): TaskToDo {
  const isLost = task.called_at !== null;
  return {
    ...task,
    attempt: task.attempt + 1,
    status: isLost ? 'unknown' : 'running',
    pending_before: isLost ? task.pending_before : task.inventory,
  };
}

function ended({ job, task }: { job: Job; task: TaskToDo }): Ended {
  // A sync changes nothing, so nothing of it can be lost.
  const isLost = task.called_at !== null && task.kind !== 'sync';
  return { task, jobId: job.id, result: siteNotActive({ isLost }) };
}
