import { SITE_FAILURES } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { SiteService } from '../sites/index.ts';
import {
  dayOf,
  decidePing,
  type Ping,
  type PingDecision,
  type PingTiming,
  splitByDay,
} from './decide-ping.ts';
import {
  addToDays,
  type DayCount,
  endOutage,
  type LockedSite,
  lockReachability,
  startOutage,
  writeReachability,
} from './reachability.repository.ts';
import { requestCheckOfWatchedSite } from './repeated-checks.repository.ts';

export type PingOfSite = Ping & { siteId: number };

type Dependencies = {
  db: Database;
  clock: Clock;
  sites: Pick<SiteService, 'recordPings'>;
  notificationOutbox: NotificationOutbox;
};

/** Stores pings, their effects and the notifications of changed states in one transaction. */
export function recordPings(
  pings: PingOfSite[],
  timing: PingTiming,
  deps: Dependencies,
): Promise<void> {
  const bySite = new Map(pings.map((ping) => [ping.siteId, ping]));
  return deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const locked = await lockReachability(trx, [...bySite.keys()]);
    const changes = locked.flatMap((row) => {
      const ping = bySite.get(row.site_id);
      // Another worker has pinged the site since: this worker may have been suspended.
      if (!ping || (row.pinged_at && row.pinged_at > ping.startedAt)) return [];
      const { name, url, is_called, ...before } = row;
      const decision = decidePing(before, ping, { now, isCalled: is_called, timing });
      return [{ row, site_id: row.site_id, ...decision }];
    });
    await writeReachability(trx, changes);
    await addToDays(
      trx,
      changes.flatMap(({ site_id, ...decision }) => toDayCounts(site_id, decision, now)),
    );
    for (const { row, site, event } of changes) {
      if (event !== null) await startOrEndOutage(trx, row, { ...row, ...site }, event, now, deps);
    }
    const counted = changes.filter(({ counts }) => counts.checks > 0);
    await deps.sites.recordPings(trx, {
      down: counted
        .filter(({ site }) => site.state === 'down')
        .map(({ site_id, site: { reason } }) => {
          const code = reason ?? 'site_down';
          return { siteId: site_id, code, error: SITE_FAILURES[code].message };
        }),
      up: counted.filter(({ counts }) => counts.failed === 0).map(({ site_id }) => site_id),
    });
  });
}

function toDayCounts(
  site_id: number,
  { counts, down, response }: Pick<PingDecision, 'counts' | 'down' | 'response'>,
  now: Date,
): DayCount[] {
  const parts = down ? splitByDay(down) : [];
  const responseOfDay = {
    response_median_ms: response?.medianMs ?? null,
    response_max_ms: response?.ms ?? null,
  };
  return [
    ...(counts.checks > 0
      ? [{ site_id, day: dayOf(now), ...counts, seconds_down: 0, ...responseOfDay }]
      : []),
    ...parts.map((part) => ({
      site_id,
      day: part.day,
      checks: 0,
      failed: 0,
      seconds_down: part.seconds,
      response_median_ms: null,
      response_max_ms: null,
    })),
  ];
}

/** Also announces the event. */
async function startOrEndOutage(
  trx: Trx,
  before: LockedSite,
  after: LockedSite,
  event: 'down' | 'up',
  now: Date,
  { notificationOutbox }: Dependencies,
): Promise<void> {
  const { site_id, name: site_name, url: site_url } = before;
  const site = { site_id, site_name, site_url };
  if (event === 'down') {
    await startOutage(trx, after);
    const since = (after.since ?? now).toISOString();
    const code = after.reason ?? 'site_down';
    const reason = SITE_FAILURES[code].message;
    const key = `site.down ${site_id} ${since}`;
    await notificationOutbox.emit(trx, {
      type: 'site.down',
      key,
      siteId: site_id,
      data: { ...site, since, reason, code, ...(after.signal && { signal: after.signal }) },
    });
    return;
  }
  await endOutage(trx, site_id, now);
  await requestCheckOfWatchedSite(trx, site_id, now);
  const down_since = (before.since ?? now).toISOString();
  const data = { ...site, down_since, up_since: now.toISOString() };
  const key = `site.up ${site_id} ${down_since}`;
  await notificationOutbox.emit(trx, { type: 'site.up', key, siteId: site_id, data });
}
