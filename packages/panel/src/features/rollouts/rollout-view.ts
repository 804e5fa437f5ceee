import {
  DEFAULT_ROLLOUT_SETTINGS,
  ROLLOUT_SITE_STATES,
  type RolloutSiteState,
  type RolloutSummary,
} from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import type { QuarantineService } from '../rules/index.ts';
import { tables } from './database.ts';
import { listSplitRows } from './proof.repository.ts';
import { type ListedRollout, type RingRow, readRings } from './rollouts.repository.ts';
import { countSiteStates, type StateCount } from './site-states.repository.ts';
import type { StoredProofException } from './tables.ts';

/** Creates the views of rollouts, with the number of sites by ring and state. */
export async function toRolloutViews(
  db: Database,
  rollouts: ListedRollout[],
  { findQuarantined }: Pick<QuarantineService, 'findQuarantined'>,
  /** The counts of all these rollouts, if the caller has already read them. */
  siteCounts?: StateCount[],
): Promise<RolloutSummary[]> {
  const ids = rollouts.map(({ id }) => id);
  const rings = Map.groupBy(await readRings(db, ids), ({ rollout_id }) => rollout_id);
  const counts = Map.groupBy(
    siteCounts ?? (await countSiteStates(db, ids)),
    ({ rollout_id }) => rollout_id,
  );
  const splits = await listSplitRows(db, ids);
  const origins = splits.map(({ split_from }) => split_from);
  const runs = Map.groupBy(
    await listRuns(db, [...ids, ...origins]),
    ({ rollout_id }) => rollout_id ?? 0,
  );
  const userNames = await readUserNames(db, rollouts);
  const held = new Set(
    await findQuarantined(
      db,
      rollouts.flatMap(({ items }) => items),
    ),
  );
  return rollouts.map((rollout): RolloutSummary => {
    const { id, name, status, items, ring, halt_reason } = rollout;
    const settings = { ...DEFAULT_ROLLOUT_SETTINGS, ...rollout.settings };
    const ownSplits = splits.filter(({ rollout_id }) => rollout_id === id);
    // The rings before a split were updated by the rollout from which this one was split.
    const runsOfRollout = [
      ...ownSplits.flatMap((split) =>
        (runs.get(split.split_from) ?? []).filter((run) => (run.ring ?? 0) <= split.ring),
      ),
      ...(runs.get(id) ?? []),
    ];
    return {
      rollout_id: id,
      ...{ name, status, items, settings, ring, halt_reason },
      halt_code: status === 'halted' ? rollout.halt_code : null,
      proof_exceptions: rollout.proof_exceptions.map((exception) =>
        toExceptionView(exception, userNames),
      ),
      // The nearest one: a rollout is created after those from which it was split.
      split_from:
        ownSplits.map(({ split_from }) => split_from).toSorted((a, b) => b - a)[0] ?? null,
      split_into: splits
        .filter(({ split_from }) => split_from === id)
        .map(({ rollout_id }) => rollout_id),
      rings: (rings.get(id) ?? []).map((row) => ({
        ...toRingView(row, counts.get(id) ?? []),
        run_ids: runsOfRollout.filter((run) => run.ring === row.position).map((run) => run.id),
      })),
      held_versions: items.filter((item) => held.has(item)),
      created_at: rollout.created_at.toISOString(),
      created_by: rollout.created_by_name,
      finished_at: rollout.finished_at?.toISOString() ?? null,
    };
  });
}

function toExceptionView(
  { user_id, ...exception }: StoredProofException,
  userNames: Map<number, string | null>,
) {
  return { ...exception, by: (user_id !== null && userNames.get(user_id)) || null };
}

async function readUserNames(db: Database, rollouts: ListedRollout[]) {
  const ids = rollouts.flatMap(({ proof_exceptions }) =>
    proof_exceptions.flatMap(({ user_id }) => user_id ?? []),
  );
  if (ids.length === 0) return new Map<number, string | null>();
  const users = tables(db).selectFrom('users').select(['id', 'name']).where('id', 'in', ids);
  return new Map((await users.execute()).map(({ id, name }) => [id, name]));
}

function toRingView(row: RingRow, counts: StateCount[]) {
  const { position, name, sites } = row;
  const countOf = (state: RolloutSiteState) =>
    counts.find((count) => count.ring === position && count.state === state)?.sites ?? 0;
  return {
    ...{ position, name, sites },
    counts: Object.fromEntries(
      ROLLOUT_SITE_STATES.map((state) => [state, countOf(state)]),
    ) as Record<RolloutSiteState, number>,
    started_at: row.started_at?.toISOString() ?? null,
    soak_ends_at: row.soak_ends_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function listRuns(db: Database, rolloutIds: number[]) {
  return tables(db)
    .selectFrom('runs')
    .select(['id', 'rollout_id', 'ring'])
    .where('rollout_id', 'in', rolloutIds.length > 0 ? rolloutIds : [0])
    .orderBy('id')
    .execute();
}
