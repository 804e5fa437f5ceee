import {
  CURRENT_CHECK_SECONDS,
  REACHABILITY_DAYS,
  SITE_FAILURES,
  type SiteReachability,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';
import { addSeconds, dayOf } from './decide-ping.ts';
import { readReachability } from './reachability-view.repository.ts';

export type ReachabilityService = {
  read(user: CurrentUser, siteId: number): Promise<SiteReachability>;
};

/** An older ping does not show the present state. */
export const oldestCurrentPing = (now: Date) => addSeconds(now, -CURRENT_CHECK_SECONDS);
const DAY_SECONDS = 24 * 60 * 60;

export function createReachabilityService({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): ReachabilityService {
  async function view(siteId: number): Promise<SiteReachability> {
    const now = clock.now();
    const firstDay = dayOf(addSeconds(now, -(REACHABILITY_DAYS - 1) * DAY_SECONDS));
    const { site, days, outages } = await readReachability(db, siteId, firstDay);
    const isCurrent = site?.pinged_at && site.pinged_at >= oldestCurrentPing(now);
    const reason = isCurrent ? site.reason : null;
    const byDay = new Map(days.map((day) => [day.day, day]));
    return {
      state: isCurrent ? site.state : null,
      since: (isCurrent && site.since?.toISOString()) || null,
      reason: reason && SITE_FAILURES[reason].message,
      signal: isCurrent ? site.signal : null,
      checked_at: site?.pinged_at?.toISOString() ?? null,
      certificate_expires_at: site?.certificate_expires_at?.toISOString() ?? null,
      days: Array.from({ length: REACHABILITY_DAYS }, (_, index) => {
        const day = dayOf(addSeconds(now, (index - REACHABILITY_DAYS + 1) * DAY_SECONDS));
        const { checks = 0, failed = 0, seconds_down = 0 } = byDay.get(day) ?? {};
        const { response_median_ms = null, response_max_ms = null } = byDay.get(day) ?? {};
        return { day, checks, failed, seconds_down, response_median_ms, response_max_ms };
      }),
      outages: outages.map(({ started_at, ended_at, reason }) => ({
        started_at: started_at.toISOString(),
        ended_at: ended_at?.toISOString() ?? null,
        reason: SITE_FAILURES[reason].message,
      })),
    };
  }

  return {
    async read(user, siteId) {
      const query = tables(db).selectFrom('sites as s').select('s.id').where('s.id', '=', siteId);
      const visible = await query.where(isVisibleTo(user, 's')).executeTakeFirst();
      if (!visible) throw new AppError('site_not_found');
      return view(siteId);
    },
  };
}
