import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import { panelDataDir } from './folder.ts';

/** The past of a fleet that was created a moment ago: no request to the panel can create it. */

const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 24 * 60 * MS_PER_MINUTE;
const OUTAGE = { atHour: 1, atMinute: 12, minutes: 35 };

/** Gives all sites 30 days of checks, and those of `siteIdsDown` an outage last night. */
export async function writeHistory(folder: string, siteIdsDown: number[]): Promise<void> {
  const panel = await openPanel(
    loadConfig({ DATA_DIR: panelDataDir(folder) }),
    createLogger('silent'),
  );
  try {
    const { pool } = panel.connection;
    // 288 checks a day, as of a panel that checks every five minutes. Each site has its own usual response time.
    await pool.query(`
      INSERT INTO site_days (site_id, day, checks, failed, seconds_down, response_median_ms, response_max_ms)
      SELECT id, current_date - age, 288, 0, 0, median, median * (2 + (id + age) % 4)
      FROM sites, generate_series(1, 30) AS age,
        LATERAL (SELECT 180 + (id * 37) % 420 + (id * age * 13) % 60 AS median) AS response
      ON CONFLICT DO NOTHING`);
    const [startedAt, endedAt] = findLastNight(new Date());
    await pool.query(
      `INSERT INTO outages (site_id, started_at, ended_at, reason, signal)
       SELECT id, $2, $3, 'site_down', 'home' FROM unnest($1::integer[]) AS id`,
      [siteIdsDown, startedAt, endedAt],
    );
    await pool.query(
      `INSERT INTO site_days AS d (site_id, day, checks, failed, seconds_down)
       SELECT id, ($2::timestamptz AT TIME ZONE 'UTC')::date, $3, $3, $3 * 300 FROM unnest($1::integer[]) AS id
       ON CONFLICT (site_id, day) DO UPDATE SET failed = d.failed + excluded.failed,
         checks = greatest(d.checks, excluded.checks), seconds_down = d.seconds_down + excluded.seconds_down`,
      [siteIdsDown, startedAt, Math.floor(OUTAGE.minutes / 5)],
    );
  } finally {
    await panel.close();
  }
}

/** Returns the start and the end of the outage in the last night that is over. */
export function findLastNight(now: Date): [startedAt: Date, endedAt: Date] {
  const midnight = Math.floor(now.getTime() / MS_PER_DAY) * MS_PER_DAY;
  const { atHour, atMinute, minutes } = OUTAGE;
  const tonight = midnight + (atHour * 60 + atMinute) * MS_PER_MINUTE;
  const length = minutes * MS_PER_MINUTE;
  const startedAt = tonight + length <= now.getTime() ? tonight : tonight - MS_PER_DAY;
  return [new Date(startedAt), new Date(startedAt + length)];
}
