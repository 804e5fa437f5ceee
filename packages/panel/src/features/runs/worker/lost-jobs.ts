import { sql } from 'kysely';
import type { Database } from '../../../database/tables.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Queue } from '../../../lib/queue.ts';
import { notify } from '../runs.repository.ts';
import { jobsFor } from '../task-jobs.ts';
import { unfinishedTasks } from '../tasks.repository.ts';

type Dependencies = { db: Database; queue: Pick<Queue, 'add' | 'tasksWithJob'>; log: Logger };

const LOOK_MS = 5 * 60_000;
/** Two that look at the same moment would both give a task a job. */
const LOCK = 'steward: lost jobs of tasks';

/**
 * A task without a job would wait for ever. Run, tasks and jobs are made together, but the queue's
 * tables are its own: it throws away what it believes too old, and somebody may empty them.
 */
export function startLookingForLostJobs(deps: Dependencies): { stop(): Promise<void> } {
  const { log } = deps;
  let looking = Promise.resolve();
  const look = () => {
    looking = restoreLostJobs(deps).catch((error) =>
      log.warn({ reason: String(error) }, 'Lost jobs could not be looked for.'),
    );
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function restoreLostJobs({ db, queue, log }: Dependencies): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ is_ours: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0)) AS is_ours`.execute(trx);
    if (!rows[0]?.is_ours) return;
    // The tasks first: one that ends in between gets a job too many, which is simply ended, too.
    const tasks = await unfinishedTasks(trx);
    const withJob = await queue.tasksWithJob(
      trx,
      tasks.map(({ id }) => id),
    );
    const lost = tasks.filter(({ id }) => !withJob.has(id));
    if (lost.length === 0) return;
    await queue.add(
      trx,
      jobsFor(lost.map(({ site_url, ...task }) => ({ ...task, siteUrl: site_url ?? '' }))),
    );
    await notify(
      trx,
      lost.map(({ run_id }) => run_id),
    );
    log.warn({ tasks: lost.length }, 'Tasks whose jobs were lost are queued again.');
  });
}
