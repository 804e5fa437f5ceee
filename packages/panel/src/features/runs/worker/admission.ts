import type { WorkerDependencies } from './dependencies.ts';
import { type Candidate, type Decision, decide } from './dispatch.ts';
import { claimSites } from './site-calls.repository.ts';
import { type OpenTask, readOpenTasks } from './tasks.repository.ts';

/** A job waits longer for its site, which another task may block for minutes, than for its address. */
const SITE_WAIT_SECONDS = 10;
const ADDRESS_WAIT_SECONDS = 1;

export type Admission =
  /** Until the task ends or is released, no other task calls its site, and its address has one call less. */
  { kind: 'admitted'; task: OpenTask } | Exclude<Decision, { kind: 'call' }>;

/**
 * Admits tasks to their sites before the panel sends anything to them. Enforces the limit per site and per address: pg-boss
 * counts without a lock, so its own limits are only approximate.
 */
export function admit(
  candidates: Candidate[],
  { perAddress }: { perAddress: number },
  { db, clock, sites }: Pick<WorkerDependencies, 'db' | 'clock' | 'sites'>,
): Promise<Admission[]> {
  return db.transaction().execute(async (trx) => {
    const wanted = candidates.map(({ job, address }) => ({ taskId: job.data.taskId, address }));
    const tasks = await readOpenTasks(
      trx,
      wanted.map(({ taskId }) => taskId),
    );
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const now = clock.now();
    const decisions = candidates.map(({ job }) => decide(job, byId.get(job.data.taskId), { now }));
    const callable = wanted.filter((_, index) => decisions[index]?.kind === 'call');
    const claims = callable.length > 0 ? await claimSites(trx, callable, perAddress) : new Map();
    const moved: { siteId: number; address: string }[] = [];
    const admissions = decisions.map((decision, index): Admission => {
      if (decision.kind !== 'call') return decision;
      const { task } = decision;
      const claim = claims.get(task.id);
      if (!claim?.isAdmitted) {
        const afterSeconds = claim?.isSiteBlocked ? SITE_WAIT_SECONDS : ADDRESS_WAIT_SECONDS;
        return { kind: 'wait', afterSeconds };
      }
      const address = candidates[index]?.address;
      if (address && address !== task.address) moved.push({ siteId: task.site_id, address });
      return { kind: 'admitted', task };
    });
    await sites.storeIpAddresses(trx, moved);
    return admissions;
  });
}
