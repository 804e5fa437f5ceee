import { roleMay } from '@steward/contract';
import { sql } from 'kysely';
import type { Trx } from '../../../platform/database/handles.ts';
import { findActiveUser } from '../../access-tokens/index.ts';
import { isVisibleTo } from '../../site-access/index.ts';
import { isInWindow } from '../call-window.ts';
import { tables } from '../database.ts';
import { refusedResult, type TaskResult } from '../outcome/task-outcome.ts';
import type { OpenTask } from './tasks.repository.ts';

/**
 * Returns a refusal for each task whose user may no longer update the site. Checks only tasks that waited for a window:
 * the creation of the run has checked the access, and other tasks are called soon after it.
 */
export async function findLostAccess(
  trx: Trx,
  tasks: OpenTask[],
  now: Date,
): Promise<Map<number, TaskResult>> {
  const waited = tasks.filter((task) => task.dispatched_at === null && isInWindow(task, now));
  const refusals = new Map<number, TaskResult>();
  for (const [userId, ofUser] of Map.groupBy(waited, ({ created_by }) => created_by)) {
    const siteIds = ofUser.map(({ site_id }) => site_id);
    const updatable = await listUpdatableSites(trx, userId, siteIds, now);
    for (const { id, site_id } of ofUser) {
      if (!updatable.has(site_id)) refusals.set(id, refusedResult('site_not_found'));
    }
  }
  return refusals;
}

async function listUpdatableSites(
  trx: Trx,
  userId: number | null,
  siteIds: number[],
  now: Date,
): Promise<Set<number>> {
  const user = await findActiveUser(trx, userId, now);
  if (!user || !roleMay(user.role, 'sites.act')) return new Set();
  const sites = await tables(trx)
    .selectFrom('sites as s')
    .select('s.id')
    .where('s.id', '=', sql<number>`ANY(${siteIds}::bigint[])`)
    .where(isVisibleTo(user, 's'))
    .execute();
  return new Set(sites.map(({ id }) => id));
}
