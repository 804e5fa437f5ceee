import type { ItemWatch, Watch, WatchState } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import {
  listLastWatchesOf,
  listWatchesOfTasks,
  startWatches,
  type UpdatedTask,
  type WatchRow,
} from './watches.repository.ts';

export type WatchService = {
  /** Starts to watch the updated items, in the transaction that saves the results of the tasks. */
  start(trx: Trx, tasks: UpdatedTask[]): Promise<void>;
};

export function createWatchService({
  clock,
  watchHours,
}: {
  clock: Clock;
  watchHours: number;
}): WatchService {
  return {
    async start(trx, tasks) {
      const now = clock.now();
      const until = new Date(now.getTime() + watchHours * 60 * 60 * 1000);
      await startWatches(trx, tasks, { now, until });
    },
  };
}

/** The worst state first. */
const STATES_BY_RANK: WatchState[] = ['troubled', 'watching', 'reported', 'unknown', 'healthy'];

/** Reads the watches of tasks. A task that updated no item has none. */
export async function readWatches(db: Database, taskIds: number[]): Promise<Map<number, Watch>> {
  const byTask = Map.groupBy(await listWatchesOfTasks(db, taskIds), ({ task_id }) => task_id);
  return new Map([...byTask].map(([taskId, rows]) => [taskId, toWatch(rows)]));
}

/** Reads what real requests say about the last version of an item that Steward installed on these sites. */
export async function readItemHealth(
  db: Database,
  siteIds: number[],
  item: { type: string; slug: string },
): Promise<Map<number, { version: string; state: WatchState }>> {
  const rows = await listLastWatchesOf(db, siteIds, item);
  return new Map(
    rows.map(({ site_id, to_version: version, state }) => [site_id, { version, state }]),
  );
}

function toWatch(rows: WatchRow[]): Watch {
  const items = rows.map(toItemWatch);
  const [worst] = items.toSorted(
    (a, b) => STATES_BY_RANK.indexOf(a.state) - STATES_BY_RANK.indexOf(b.state),
  );
  if (!worst) throw new Error('A task without watches has no state.');
  const error = worst.error ?? items.find((item) => item.error)?.error ?? null;
  return { state: worst.state, until: worst.until, error, items };
}

const toItemWatch = (row: WatchRow): ItemWatch => ({
  ...{ type: row.type, slug: row.slug, from_version: row.from_version, version: row.to_version },
  ...{ state: row.state, until: row.until.toISOString(), error: row.error },
  restore_run_id: row.restore_run_id,
});
