import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { PingDecision, Reachability } from './decide-ping.ts';

/** A site to observe. */
export type ObservedSite = {
  id: number;
  url: string;
  endpoint_url: string | null;
  approved_endpoint_url: string | null;
  proven_at: Date | null;
  proven_endpoint_url: string | null;
  address: string | null;
  web_login_encrypted: Buffer | null;
  site_key_encrypted: Buffer | null;
};

const OBSERVED_COLUMNS = sql`s.id, s.url, s.endpoint_url, s.approved_endpoint_url, s.address, s.web_login_encrypted,
  a.site_key_encrypted, a.proven_at, a.proven_endpoint_url`;
/** The address, or the host of a site whose address is not known: only calls of runs store the address. */
export const SERVER = sql`coalesce(s.address, split_part(s.canonical_url, '/', 1))`;
/** Connected and not archived. */
const IS_PINGED = sql`a.status = 'active' AND s.archived_at IS NULL`;

/** A worker that dies leaves its claimed sites to other workers after this time. */
const CLAIM_SECONDS = 180;

/**
 * Adds connected sites, spread over one interval, and removes sites that were archived or disconnected. Several workers
 * do this at once, so each statement locks its rows in the order of their ids, as `lockReachability` does, or skips
 * locked rows.
 */
export async function trackSites(db: Database, now: Date, intervalSeconds: number): Promise<void> {
  const withinInterval = sql`${now}::timestamptz + random() * make_interval(secs => ${intervalSeconds})`;
  await sql`
    INSERT INTO site_reachability (site_id, next_ping_at)
    SELECT s.id, ${withinInterval} FROM sites s JOIN license_activations a ON a.site_id = s.id
    WHERE ${IS_PINGED} AND NOT EXISTS (SELECT FROM site_reachability r WHERE r.site_id = s.id)
    ORDER BY s.id
    ON CONFLICT DO NOTHING`.execute(db);
  await sql`
    WITH locked AS (
      SELECT r.site_id FROM site_reachability r
      JOIN sites s ON s.id = r.site_id JOIN license_activations a ON a.site_id = s.id
      WHERE NOT (${IS_PINGED}) ORDER BY r.site_id FOR UPDATE OF r
    ), removed AS (
      DELETE FROM site_reachability r USING locked WHERE r.site_id = locked.site_id
      RETURNING r.site_id
    )
    UPDATE outages o SET ended_at = ${now}::timestamptz
    FROM removed WHERE o.site_id = removed.site_id AND o.ended_at IS NULL`.execute(db);
  // Spreads the pings again after the panel was stopped: all sites are due. Another worker may have claimed some of them.
  await sql`
    UPDATE site_reachability r SET next_ping_at = ${withinInterval}
    WHERE r.site_id IN (
      SELECT site_id FROM site_reachability
      WHERE next_ping_at < ${now}::timestamptz - make_interval(secs => ${2 * intervalSeconds})
      FOR UPDATE SKIP LOCKED)`.execute(db);
}

/** `pingsByServer`: the pings in flight. They and the calls of runs count toward the limit `perServer`. */
export type ClaimLimits = {
  total: number;
  perServer: number;
  pingsByServer: Record<string, number>;
};

export type DueSite = ObservedSite & { server: string; suspected_at: Date | null };

/** The number of due sites that one pass reads. Most of them may be on one busy server. */
const DUE_SITES_READ = 2000;

/**
 * Claims due sites, starting with those that wait longest, and only a few of each server: the sites of one large server
 * would otherwise use up the limit of this process. Postpones sites that a run calls now.
 */
export async function claimDueSites(
  db: Database,
  now: Date,
  { total, perServer, pingsByServer }: ClaimLimits,
): Promise<DueSite[]> {
  const fullServers = Object.keys(pingsByServer).filter(
    (server) => (pingsByServer[server] ?? 0) >= perServer,
  );
  const { rows } = await sql<DueSite & { is_called: boolean }>`
    WITH waiting AS (
      SELECT r.site_id, ${SERVER} AS server, r.next_ping_at
      FROM site_reachability r JOIN sites s ON s.id = r.site_id
      WHERE r.next_ping_at <= ${now}::timestamptz
        AND ${SERVER} <> ALL(${fullServers}::text[])
      ORDER BY r.next_ping_at LIMIT ${DUE_SITES_READ}
    ), calls AS (
      SELECT address, count(*) AS running FROM site_calls GROUP BY address
    ), ranked AS (
      SELECT site_id, coalesce((${JSON.stringify(pingsByServer)}::jsonb ->> server)::integer, 0)
        + coalesce(calls.running, 0)
        + row_number() OVER (PARTITION BY server ORDER BY next_ping_at) AS place
      FROM waiting LEFT JOIN calls ON calls.address = server
    ), due AS (
      SELECT site_id FROM site_reachability
      WHERE next_ping_at <= ${now}::timestamptz
        AND site_id IN (SELECT site_id FROM ranked WHERE place <= ${perServer})
      ORDER BY next_ping_at LIMIT ${Math.max(total, 0)} FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE site_reachability r
      SET next_ping_at = ${now}::timestamptz + make_interval(secs => ${CLAIM_SECONDS})
      FROM due WHERE r.site_id = due.site_id RETURNING r.site_id, r.suspected_at
    )
    SELECT ${OBSERVED_COLUMNS}, ${SERVER} AS server, claimed.suspected_at,
      EXISTS (SELECT FROM site_calls c WHERE c.site_id = s.id) AS is_called
    FROM claimed JOIN sites s ON s.id = claimed.site_id JOIN license_activations a ON a.site_id = s.id
    WHERE ${IS_PINGED}`.execute(db);
  return rows.filter(({ is_called }) => !is_called);
}

export async function findObservedSite(
  db: Database,
  siteId: number,
): Promise<ObservedSite | undefined> {
  const { rows } = await sql<ObservedSite>`
    SELECT ${OBSERVED_COLUMNS} FROM sites s JOIN license_activations a ON a.site_id = s.id
    WHERE s.id = ${siteId} AND ${IS_PINGED}`.execute(db);
  return rows[0];
}

/** Chooses other sites that were up, on other servers if known, to test the network of the panel. */
export async function listControlSites(
  db: Database,
  { id, address }: Pick<ObservedSite, 'id' | 'address'>,
  limit: number,
): Promise<ObservedSite[]> {
  const { rows } = await sql<ObservedSite>`
    SELECT ${OBSERVED_COLUMNS} FROM site_reachability r
    JOIN sites s ON s.id = r.site_id JOIN license_activations a ON a.site_id = s.id
    WHERE r.state = 'up' AND s.id <> ${id} AND (s.address IS NULL OR s.address IS DISTINCT FROM ${address}::text)
      AND ${IS_PINGED}
    ORDER BY random() LIMIT ${limit}`.execute(db);
  return rows;
}

export type LockedSite = Reachability & { name: string; url: string; is_called: boolean };

/** Locks the rows in the order of their ids, as `postponePings` does, to prevent deadlocks. */
export async function lockReachability(trx: Trx, siteIds: number[]): Promise<LockedSite[]> {
  const { rows } = await sql<LockedSite>`
    SELECT r.*, r.response_day::text AS response_day, site_label(s.display_name, s.url) AS name, s.url, EXISTS (SELECT FROM site_calls c WHERE c.site_id = s.id) AS is_called
    FROM site_reachability r JOIN sites s ON s.id = r.site_id
    WHERE r.site_id = ANY(${siteIds}::bigint[]) ORDER BY r.site_id FOR UPDATE OF r`.execute(trx);
  return rows;
}

export async function writeReachability(
  trx: Trx,
  changes: { site_id: number; site: PingDecision['site'] }[],
): Promise<void> {
  const rows = changes.map(({ site_id, site }) => ({ site_id, ...site }));
  await sql`
    UPDATE site_reachability r SET next_ping_at = c.next_ping_at, pinged_at = c.pinged_at, state = c.state,
      since = c.since, reason = c.reason, signal = c.signal, suspected_at = c.suspected_at,
      counted_until = c.counted_until, has_answered = c.has_answered,
      certificate_expires_at = c.certificate_expires_at, response_day = c.response_day,
      response_counts = c.response_counts
    FROM jsonb_populate_recordset(NULL::site_reachability, ${JSON.stringify(rows)}::jsonb) c
    WHERE r.site_id = c.site_id`.execute(trx);
}

export type DayCount = {
  site_id: number;
  day: string;
  checks: number;
  failed: number;
  seconds_down: number;
  response_median_ms: number | null;
  response_max_ms: number | null;
};

export async function addToDays(trx: Trx, counts: DayCount[]): Promise<void> {
  if (counts.length === 0) return;
  await sql`
    INSERT INTO site_days AS d (site_id, day, checks, failed, seconds_down, response_median_ms, response_max_ms)
    SELECT site_id, day, sum(checks), sum(failed), sum(seconds_down), max(response_median_ms), max(response_max_ms)
    FROM jsonb_populate_recordset(NULL::site_days, ${JSON.stringify(counts)}::jsonb)
    GROUP BY site_id, day ORDER BY site_id, day
    ON CONFLICT (site_id, day) DO UPDATE SET checks = d.checks + excluded.checks,
      failed = d.failed + excluded.failed, seconds_down = d.seconds_down + excluded.seconds_down,
      response_median_ms = coalesce(excluded.response_median_ms, d.response_median_ms),
      response_max_ms = greatest(d.response_max_ms, excluded.response_max_ms)`.execute(trx);
}

export async function startOutage(trx: Trx, { site_id, since, reason, signal }: Reachability) {
  await sql`
    INSERT INTO outages (site_id, started_at, reason, signal)
    VALUES (${site_id}, ${since}, ${reason}, ${signal}) ON CONFLICT DO NOTHING`.execute(trx);
}

export async function endOutage(trx: Trx, siteId: number, now: Date): Promise<void> {
  await tables(trx)
    .updateTable('outages')
    .set({ ended_at: now })
    .where('site_id', '=', siteId)
    .where('ended_at', 'is', null)
    .execute();
}

/** Postpones pings after a call of a run, because the site may still restart or fill its caches. */
export async function postponePings(trx: Trx, siteIds: number[], until: Date): Promise<void> {
  await sql`
    WITH locked AS (
      SELECT site_id FROM site_reachability
      WHERE site_id = ANY(${siteIds}::bigint[]) AND next_ping_at < ${until}::timestamptz
      ORDER BY site_id FOR UPDATE
    )
    UPDATE site_reachability r SET next_ping_at = ${until}::timestamptz
    FROM locked WHERE r.site_id = locked.site_id`.execute(trx);
}

const KEPT_DAYS = 400;
const KEPT_OUTAGES = 500;

/** Keeps the tables bounded: a site that fails every few minutes must not fill the database. */
export async function deleteOldHealth(db: Database, now: Date): Promise<void> {
  const oldest = sql`${now}::timestamptz - make_interval(days => ${KEPT_DAYS})`;
  await sql`DELETE FROM site_days WHERE day < (${oldest})::date`.execute(db);
  await sql`DELETE FROM outages WHERE ended_at < ${oldest}`.execute(db);
  await sql`
    DELETE FROM outages WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY site_id ORDER BY started_at DESC) AS position FROM outages
      ) o WHERE position > ${KEPT_OUTAGES})`.execute(db);
  await sql`DELETE FROM task_health WHERE observed_at < ${oldest}`.execute(db);
  await sql`DELETE FROM repeated_checks WHERE done_at < ${oldest}`.execute(db);
}
