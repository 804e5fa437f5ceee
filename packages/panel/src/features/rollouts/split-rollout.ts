import type { RolloutItem } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import { WORKER_ORIGIN } from '../runs/index.ts';
import { describeItems, nameRollout } from './describe-item.ts';
import { isSameItem } from './items-over-limit.ts';
import {
  copyRings,
  copySites,
  insertSplit,
  type ReportedVersion,
  recountRings,
  removeSitesOfStopped,
} from './proof.repository.ts';
import { insertRolloutRow, type RolloutRow, updateRollout } from './rollouts.repository.ts';

type Dependencies = { audit: AuditService; clock: Clock };

type Parts = {
  stopped: RolloutItem[];
  continuing: RolloutItem[];
  /** The versions that sites report and that are older than those of the rollout. */
  older: ReportedVersion[];
};

/**
 * Moves the items that stop into a rollout of their own, with the sites that need them, in the same ring. The first rollout
 * goes on with its other items. Returns both. The caller has locked the rollout, and halts the new one.
 */
export async function splitRollout(
  trx: Trx,
  rollout: RolloutRow,
  { stopped, continuing, older }: Parts,
  { audit, clock }: Dependencies,
): Promise<{ rest: RolloutRow; split: RolloutRow }> {
  const { id, name, items, settings, ring, status, origin, created_by, schedule_id } = rollout;
  const row = {
    name: nameRollout(stopped),
    items: stopped,
    ...{ settings, ring, status, origin, created_by, schedule_id },
    created_at: clock.now(),
    proof_exceptions: rollout.proof_exceptions.filter(({ items: excepted }) =>
      excepted.some((item) => stopped.some((each) => isSameItem(each, item))),
    ),
  };
  const newRolloutId = await insertRolloutRow(trx, row);
  const olderOf = (wanted: RolloutItem[]) =>
    older.filter((version) => wanted.some((item) => isSameItem(item, version)));
  const parts = {
    ...{ rolloutId: id, ring, newRolloutId, stopped },
    olderStopped: olderOf(stopped),
    olderContinuing: olderOf(continuing),
  };
  await copyRings(trx, parts);
  await copySites(trx, parts);
  await insertSplit(trx, parts);
  await removeSitesOfStopped(trx, parts);
  await recountRings(trx, newRolloutId);
  await recountRings(trx, id);
  // A name that a user gave stays.
  const newName = name === nameRollout(items) ? nameRollout(continuing) : name;
  await updateRollout(trx, id, { items: continuing, name: newName });
  await audit.record(trx, WORKER_ORIGIN, {
    action: 'split',
    entityType: 'rollout',
    entityId: id,
    context: { name, items: describeItems(stopped), split_rollout_id: newRolloutId },
  });
  const split = { ...rollout, ...row, id: newRolloutId };
  return { rest: { ...rollout, items: continuing, name: newName }, split };
}
