import { findOutage, hasApplicationResponded, type SiteObservation } from '@steward/contract';
import type { Selectable } from 'kysely';
import { addResponse, medianOf } from './response-times.ts';
import type { HealthTables } from './tables.ts';

export type Reachability = Selectable<HealthTables['site_reachability']>;

export type Ping = {
  observation: SiteObservation;
  startedAt: Date;
  /** Nearly all sites fail at once, so the network of the panel may be down. */
  isOwnNetworkSuspect: boolean;
};

export type PingTiming = { intervalSeconds: number; confirmSeconds: number };

/** What a ping changes. */
export type PingDecision = {
  site: Omit<Reachability, 'site_id'>;
  /** What to add to the counts of the day: 0 or 1. */
  counts: { checks: number; failed: number };
  /** The time down to add to the days of the site. */
  down: { from: Date; to: Date } | null;
  /** Of the day so far, and of this ping. */
  response: { medianMs: number | null; ms: number } | null;
  event: 'down' | 'up' | null;
};

/** Of a longer time without pings, such as that of a stopped panel, only the last three intervals can count as down. */
const MAX_GAP_INTERVALS = 3;
/** Seconds until the next ping of a site that did not respond well while a run called it. */
const CALLED_SITE_SECONDS = 60;
const NOT_COUNTED = { counts: { checks: 0, failed: 0 }, down: null, response: null, event: null };

/** Decides the next state of a site. `isCalled`: a run calls the site now, so it may restart or be in maintenance. */
export function decidePing(
  row: Reachability,
  ping: Ping,
  { now, isCalled, timing }: { now: Date; isCalled: boolean; timing: PingTiming },
): PingDecision {
  const { observation } = ping;
  const { site_id, ...before } = row;
  const site = { ...before, next_ping_at: addSeconds(now, jitter(timing.intervalSeconds)) };
  const outage = findOutage(observation, { hasResponded: row.has_answered });
  if (outage && isCalled) {
    return {
      site: { ...site, next_ping_at: addSeconds(now, CALLED_SITE_SECONDS) },
      ...NOT_COUNTED,
    };
  }
  site.pinged_at = now;
  site.has_answered ||= hasApplicationResponded(observation);
  const expiresAt = observation.certificate_expires_at;
  if (expiresAt !== null) site.certificate_expires_at = new Date(expiresAt);
  const maxGapSeconds = MAX_GAP_INTERVALS * timing.intervalSeconds;
  const down =
    row.state === 'down' && row.counted_until
      ? { from: latest(row.counted_until, addSeconds(now, -maxGapSeconds)), to: now }
      : null;
  if (!outage) {
    const isUp = row.state === 'up';
    Object.assign(site, { state: 'up', since: isUp ? row.since : now, ...NO_OUTAGE });
    const event = row.state === 'down' ? 'up' : null;
    const { response, ...counted } = countResponse(row, observation, now);
    return {
      site: { ...site, ...counted },
      counts: { checks: 1, failed: 0 },
      down,
      response,
      event,
    };
  }
  const counts = { checks: 1, failed: 1 };
  const response = null;
  if (row.state === 'down') {
    return {
      site: { ...site, ...outage, counted_until: now },
      counts,
      down,
      response,
      event: null,
    };
  }
  if (ping.isOwnNetworkSuspect) {
    // Restarts the suspicion, because time in which the panel had no network must not count as time down.
    const retryAt = addSeconds(now, timing.confirmSeconds);
    return { site: { ...site, suspected_at: now, next_ping_at: retryAt }, ...NOT_COUNTED };
  }
  const { suspected_at } = row;
  if (!suspected_at || suspected_at < addSeconds(now, -maxGapSeconds)) {
    const retryAt = addSeconds(now, timing.confirmSeconds);
    return {
      site: { ...site, suspected_at: now, next_ping_at: retryAt },
      counts,
      down,
      response,
      event: null,
    };
  }
  Object.assign(site, { state: 'down', since: suspected_at, ...outage });
  Object.assign(site, { suspected_at: null, counted_until: now });
  return { site, counts, down: { from: suspected_at, to: now }, response, event: 'down' };
}

/** Counts start anew each day in UTC. */
function countResponse(
  { response_day, response_counts }: Reachability,
  { response_ms: ms = null }: SiteObservation,
  now: Date,
) {
  if (ms === null) return { response: null };
  const day = dayOf(now);
  const counts = addResponse(response_day === day ? response_counts : [], ms);
  const response = { medianMs: medianOf(counts), ms };
  return { response, response_day: day, response_counts: counts };
}

const NO_OUTAGE = { reason: null, signal: null, suspected_at: null, counted_until: null };

export const addSeconds = (date: Date, seconds: number) =>
  new Date(date.getTime() + seconds * 1000);
const latest = (a: Date, b: Date) => (a > b ? a : b);

export const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** Spreads the pings of many sites, even if all of them started at the same time. */
const jitter = (seconds: number) => seconds * (0.95 + Math.random() * 0.1);

/** Splits a time range at midnight UTC. */
export function splitByDay({
  from,
  to,
}: {
  from: Date;
  to: Date;
}): { day: string; seconds: number }[] {
  const parts: { day: string; seconds: number }[] = [];
  for (let start = from; start < to; ) {
    const day = dayOf(start);
    const midnight = addSeconds(new Date(`${day}T00:00:00Z`), 86_400);
    const end = midnight < to ? midnight : to;
    parts.push({ day, seconds: Math.round((end.getTime() - start.getTime()) / 1000) });
    start = end;
  }
  return parts;
}
