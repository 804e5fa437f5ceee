import { sql } from 'kysely';
import type { Trx } from '../../platform/database/handles.ts';
import type { NotificationOutbox } from '../notifications/index.ts';

type Outcome = {
  run_id: number;
  sites: number;
  failed: number;
  partly_failed: number;
  unverified: number;
  unchecked: number;
  unknown: number;
};

/**
 * Announces the runs that end with this transaction and have failures. The caller has locked the runs. Skips plugin
 * actions on a single site and cancelled runs: a user waits for their result. No user waits for the run of a schedule
 * or a rollout, so its failures count also if it is cancelled later. Skips a run that a halt cancelled: the halt has
 * its own event. Sites whose pages could not be checked are counted, but are no failure.
 */
export async function announceFailures(
  trx: Trx,
  outbox: Pick<NotificationOutbox, 'emit'>,
  runIds: number[],
): Promise<void> {
  for (const outcome of await findFailures(trx, runIds)) {
    const { run_id, ...counts } = outcome;
    await outbox.emit(trx, {
      type: 'run.finished_with_failures',
      key: `run.finished_with_failures ${run_id}`,
      data: { run_id, ...counts },
    });
  }
}

/** A site with failed items counts as failed. */
async function findFailures(trx: Trx, runIds: number[]): Promise<Outcome[]> {
  const { rows } = await sql<Outcome>`
    SELECT r.id AS run_id, r.total AS sites, counts.failed, counts.partly_failed, counts.unverified,
      counts.unchecked, counts.unknown
    FROM runs r CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE t.status IN ('failed', 'partial')) AS failed,
        count(*) FILTER (WHERE t.status = 'partial') AS partly_failed,
        count(*) FILTER (WHERE t.status = 'unverified' AND t.code IS DISTINCT FROM 'pages_not_checked') AS unverified,
        count(*) FILTER (WHERE t.status = 'unverified' AND t.code = 'pages_not_checked') AS unchecked,
        count(*) FILTER (WHERE t.status = 'unknown') AS unknown,
        bool_or(t.window_opens_at IS NOT NULL) AS has_window
      FROM run_tasks t WHERE t.run_id = r.id) counts
    WHERE r.id = ANY(${[...new Set(runIds)]}::bigint[])
      AND r.finished_at IS NOT NULL
      AND (r.cancelled_at IS NULL OR counts.has_window OR r.rollout_id IS NOT NULL)
      AND NOT (r.cancelled_at IS NOT NULL
        AND EXISTS (SELECT FROM rollouts o WHERE o.id = r.rollout_id AND o.status = 'halted'))
      AND NOT (r.kind = 'plugin_action' AND r.total = 1)
      AND counts.failed + counts.unverified + counts.unknown > 0`.execute(trx);
  return rows;
}
