import { jobId } from '../jobs.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { listCancelledTasks } from './tasks.repository.ts';

/**
 * Returns a function that ends the jobs of all cancelled tasks of a run, once a worker has fetched the first of them. One by
 * one, the concurrency limit of an address would delay other runs: 2,000 jobs of one address take half a minute.
 */
export function createJobEnder({ db, queue }: Pick<WorkerDependencies, 'db' | 'queue'>) {
  const endings = new Map<number, Promise<void>>();

  const end = (runId: number) =>
    db.transaction().execute(async (trx) => {
      const tasks = await listCancelledTasks(trx, runId);
      const jobIds = tasks.map((task) => jobId(task.id, task.attempt));
      await queue.cancel(trx, jobIds);
    });

  return (runId: number): Promise<void> => {
    const ending = endings.get(runId) ?? end(runId).finally(() => endings.delete(runId));
    endings.set(runId, ending);
    return ending;
  };
}
