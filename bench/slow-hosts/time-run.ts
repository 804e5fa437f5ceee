import { setTimeout as sleep } from 'node:timers/promises';
import type { SlowFleet } from './fleet.ts';

const POLL_MS = 250;

/** Starts an update of the sites, and returns the seconds until all fast sites have finished. */
export async function timeRun({ owner, pool, fastIds }: SlowFleet, siteIds: number[]) {
  const { run_id } = await owner.ask<{ run_id: number }>(
    'POST',
    '/remote/update',
    { site_ids: siteIds },
    { headers: { prefer: 'respond-async' } },
  );
  for (;;) {
    const { rows } = await pool.query<{ open: number; failed: number; seconds: number }>(
      `SELECT count(*) FILTER (WHERE t.finished_at IS NULL)::int AS open,
         count(*) FILTER (WHERE t.finished_at IS NOT NULL AND t.status <> 'succeeded')::int AS failed,
         extract(epoch FROM max(t.finished_at) - r.created_at)::float8 AS seconds
       FROM run_tasks t JOIN runs r ON r.id = t.run_id
       WHERE r.id = $1 AND t.site_id = ANY($2) GROUP BY r.id`,
      [run_id, fastIds],
    );
    const [{ open, failed, seconds } = { open: 1, failed: 0, seconds: 0 }] = rows;
    if (failed > 0) throw new Error(`${failed} updates failed.`);
    if (open === 0) return { runId: run_id, seconds };
    await sleep(POLL_MS);
  }
}

/** Cancels the run, and waits for the calls in flight. */
export async function endRun({ owner }: SlowFleet, runId: number): Promise<void> {
  await owner.ask('POST', `/panel/runs/${runId}/cancel`);
  const read = () => owner.ask<{ status: string }>('GET', `/panel/runs/${runId}?limit=1`);
  while ((await read()).status !== 'finished') await sleep(POLL_MS);
}
