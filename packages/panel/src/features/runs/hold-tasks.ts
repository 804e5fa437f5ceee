import type { Trx } from '../../platform/database/handles.ts';
import type { CallWindow } from './call-window.ts';
import { listHoldableTasks, updateWindows } from './hold-tasks.repository.ts';
import { listUnfinishedRuns, lockRuns } from './runs.repository.ts';

type HoldOptions = {
  /** Only the tasks whose window has closed at this time. */
  closedAt?: Date;
  findWindows(siteIds: number[]): Promise<(siteId: number) => CallWindow>;
};

/** Holds the queued tasks of a schedule until the windows that `findWindows` returns. */
export async function holdTasks(
  trx: Trx,
  scheduleId: number,
  { closedAt, findWindows }: HoldOptions,
): Promise<void> {
  const runIds = await listUnfinishedRuns(trx, { scheduleId });
  if (runIds.length === 0) return;
  await lockRuns(trx, runIds);
  const tasks = await listHoldableTasks(trx, runIds, closedAt);
  const windowOf = await findWindows(tasks.map(({ site_id }) => site_id));
  const held = tasks.map(({ id, site_id }) => ({ id, ...windowOf(site_id) }));
  await updateWindows(trx, held);
}
