import type { RolloutItem } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import { EVIDENCE_ROLLOUTS, WORKS_WORSE } from './site-states.repository.ts';

/** An item in a version that some sites report. */
export type ReportedVersion = { type: string; slug: string; version: string };

/** Lists the versions of the items that the sites of a rollout report. */
export async function listReportedVersions(
  trx: Trx,
  rolloutId: number,
  items: RolloutItem[],
): Promise<ReportedVersion[]> {
  const { rows } = await sql<ReportedVersion>`
    SELECT DISTINCT s.type, s.slug, i.version
    FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS item (type text, slug text)
    JOIN software s ON s.type = item.type AND s.slug = item.slug
    JOIN site_software i ON i.software_id = s.id
    JOIN rollout_sites rs ON rs.site_id = i.site_id
    WHERE rs.rollout_id = ${rolloutId}`.execute(trx);
  return rows;
}

type Ring = { rolloutId: number; ring: number };
type SuspectItem = { site_id: number; type: string; slug: string };

export type ProofCount = {
  type: string;
  slug: string;
  needing: number;
  installed: number;
  proven: number;
};

/** The site has one of the versions `older`: rows of `outdated`. */
const selectOutdated = (older: ReportedVersion[]) => sql`
  SELECT i.site_id, s.type, s.slug
  FROM jsonb_to_recordset(${JSON.stringify(older)}::jsonb) AS o (type text, slug text, version text)
  JOIN software s ON s.type = o.type AND s.slug = o.slug
  JOIN site_software i ON i.software_id = s.id AND i.version = o.version`;

/** The result of the item in the response of the site. Core has no slug. */
const hasResult = (condition: string) => sql<SqlBool>`EXISTS (
  SELECT FROM jsonb_path_query(t.details, ${sql.lit(`$.results.*[*] ? (${condition})`)}) AS result
  WHERE coalesce(result ->> 'slug', 'core') = item.slug)`;

const HAS_CHANGED = sql<SqlBool>`EXISTS (
  SELECT FROM jsonb_path_query(t.details, '$.results.*[*] ? (@.success == true)') AS result
  WHERE coalesce(result ->> 'slug', 'core') = item.slug
    AND result ->> 'old_version' IS DISTINCT FROM result ->> 'new_version')`;

/**
 * Counts the sites of a ring by item. `older`: the reported versions that are older than those of the rollout. `suspects`: the
 * items that may have caused trouble on a site. An archived site counts only if it installed the item. The last task that
 * changed an item decides: its site may have installed it again, for example after a restore.
 */
export async function countProofs(
  trx: Trx,
  { rolloutId, ring }: Ring,
  {
    items,
    older,
    suspects,
  }: { items: RolloutItem[]; older: ReportedVersion[]; suspects: SuspectItem[] },
): Promise<ProofCount[]> {
  const { rows } = await sql<ProofCount>`
    WITH item AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS item (type text, slug text)),
    member AS MATERIALIZED (
      SELECT rs.site_id, s.inventory_at, s.archived_at, ${EVIDENCE_ROLLOUTS} AS rollout_ids
      FROM rollout_sites rs JOIN sites s ON s.id = rs.site_id
      WHERE rs.rollout_id = ${rolloutId} AND rs.ring = ${ring}),
    outdated AS MATERIALIZED (
      SELECT DISTINCT o.site_id, o.type, o.slug, m.inventory_at, m.archived_at
      FROM (${selectOutdated(older)}) AS o JOIN member m ON m.site_id = o.site_id),
    task AS MATERIALIZED (
      SELECT t.id, t.site_id, t.status, t.code, t.items, t.details, t.finished_at
      FROM member m JOIN runs r ON r.rollout_id = ANY(m.rollout_ids) AND r.ring = ${ring}
      JOIN run_tasks t ON t.run_id = r.id AND t.site_id = m.site_id
      WHERE t.finished_at IS NOT NULL),
    change AS (
      SELECT DISTINCT ON (found.site_id, found.type, found.slug) found.*
      FROM (
        SELECT t.id AS task_id, t.site_id, item.type, item.slug FROM task t JOIN item ON ${HAS_CHANGED}
        UNION
        -- The response of a site is cut if it is very long, and a plugin may have another main file now.
        SELECT t.id, t.site_id, w.type, w.slug FROM task t JOIN update_watches w ON w.task_id = t.id
        JOIN item ON item.type = w.type AND item.slug = w.slug) AS found
      ORDER BY found.site_id, found.type, found.slug, found.task_id DESC),
    judged AS (
      SELECT change.site_id, change.type, change.slug,
        t.status IN ('succeeded', 'partial')
          AND coalesce(t.code, '') NOT IN ('pages_not_checked', 'pages_differ')
          AND NOT ${WORKS_WORSE}
          AND NOT ${hasResult('@.success == false || @.verified == false')}
          AND NOT EXISTS (SELECT FROM update_watches w WHERE w.task_id = t.id AND w.type = item.type
            AND w.slug = item.slug AND w.state = 'troubled')
          AND NOT EXISTS (SELECT FROM outdated o WHERE o.site_id = t.site_id AND o.type = item.type
            AND o.slug = item.slug AND o.inventory_at > t.finished_at)
          AND NOT EXISTS (SELECT FROM jsonb_to_recordset(${JSON.stringify(suspects)}::jsonb)
            AS suspect (site_id bigint, type text, slug text)
            WHERE suspect.site_id = t.site_id AND suspect.type = item.type AND suspect.slug = item.slug)
          AS is_proven
      FROM change JOIN task t ON t.id = change.task_id
      JOIN item ON item.type = change.type AND item.slug = change.slug),
    needing AS (
      SELECT site_id, type, slug FROM judged
      UNION SELECT site_id, type, slug FROM outdated WHERE archived_at IS NULL
      -- The result is not known, and the last report may show the new version.
      UNION SELECT t.site_id, item.type, item.slug FROM task t
        CROSS JOIN LATERAL jsonb_to_recordset(t.items) AS named (type text, slug text)
        JOIN item ON item.type = named.type AND item.slug = named.slug WHERE t.status = 'unknown')
    SELECT n.type, n.slug, count(*)::int AS needing, count(j.site_id)::int AS installed,
      count(*) FILTER (WHERE j.is_proven)::int AS proven
    FROM needing n LEFT JOIN judged j ON j.site_id = n.site_id AND j.type = n.type AND j.slug = n.slug
    GROUP BY n.type, n.slug`.execute(trx);
  return rows;
}

/** Lists the items that a site of a later ring has in an older version. */
export async function listNeededLater(
  trx: Trx,
  { rolloutId, ring }: Ring,
  older: ReportedVersion[],
): Promise<{ type: string; slug: string }[]> {
  const { rows } = await sql<{ type: string; slug: string }>`
    SELECT DISTINCT o.type, o.slug FROM (${selectOutdated(older)}) AS o
    JOIN rollout_sites rs ON rs.site_id = o.site_id JOIN sites s ON s.id = rs.site_id
    WHERE rs.rollout_id = ${rolloutId} AND rs.ring > ${ring} AND s.archived_at IS NULL`.execute(
    trx,
  );
  return rows;
}

type Split = Ring & {
  newRolloutId: number;
  /** The older versions of the items that stop, and of those that continue. */
  olderStopped: ReportedVersion[];
  olderContinuing: ReportedVersion[];
  stopped: RolloutItem[];
};

/**
 * Copies the sites that need the stopped items to their new rollout: sites of later rings with an older version, and sites of
 * the rings so far that have one or whose task named an item.
 */
export async function copySites(trx: Trx, split: Split): Promise<void> {
  const { rolloutId, ring, newRolloutId, olderStopped, stopped } = split;
  await sql`
    INSERT INTO rollout_sites (rollout_id, site_id, ring, accepted_task_id)
    SELECT ${newRolloutId}, rs.site_id, rs.ring, rs.accepted_task_id FROM rollout_sites rs
    WHERE rs.rollout_id = ${rolloutId} AND (
      rs.site_id IN (SELECT o.site_id FROM (${selectOutdated(olderStopped)}) AS o)
      OR rs.ring <= ${ring} AND EXISTS (
        SELECT FROM runs r JOIN run_tasks t ON t.run_id = r.id AND t.site_id = rs.site_id
        CROSS JOIN LATERAL jsonb_to_recordset(t.items) AS named (type text, slug text)
        JOIN jsonb_to_recordset(${JSON.stringify(stopped)}::jsonb) AS item (type text, slug text)
          ON item.type = named.type AND item.slug = named.slug
        WHERE r.rollout_id = ANY(${EVIDENCE_ROLLOUTS}) AND r.ring = rs.ring))`.execute(trx);
}

/** Removes the sites of later rings that needed only stopped items: their tasks would be refused. */
export async function removeSitesOfStopped(trx: Trx, split: Split): Promise<void> {
  const { rolloutId, ring, olderStopped, olderContinuing } = split;
  await sql`
    DELETE FROM rollout_sites rs WHERE rs.rollout_id = ${rolloutId} AND rs.ring > ${ring}
      AND rs.site_id IN (SELECT o.site_id FROM (${selectOutdated(olderStopped)}) AS o)
      AND rs.site_id NOT IN (SELECT o.site_id FROM (${selectOutdated(olderContinuing)}) AS o)`.execute(
    trx,
  );
}

/** Copies the rings, with the times of the rings so far. */
export async function copyRings(trx: Trx, { rolloutId, newRolloutId }: Split): Promise<void> {
  await sql`
    INSERT INTO rollout_rings (rollout_id, position, name, sites, run_id, started_at, soak_ends_at, finished_at)
    SELECT ${newRolloutId}, position, name, 0, run_id, started_at, soak_ends_at, finished_at
    FROM rollout_rings WHERE rollout_id = ${rolloutId}`.execute(trx);
}

/** Counts the sites of each ring again. */
export async function recountRings(trx: Trx, rolloutId: number): Promise<void> {
  await sql`
    UPDATE rollout_rings r SET sites = (SELECT count(*) FROM rollout_sites rs
      WHERE rs.rollout_id = r.rollout_id AND rs.ring = r.position)
    WHERE r.rollout_id = ${rolloutId}`.execute(trx);
}

/** Records whose runs are evidence for the new rollout too: those of its parent, and those of the parents of this one. */
export async function insertSplit(
  trx: Trx,
  { rolloutId, ring, newRolloutId }: Split,
): Promise<void> {
  await sql`
    INSERT INTO rollout_splits (rollout_id, split_from, ring)
    SELECT ${newRolloutId}::bigint, split_from, ring FROM rollout_splits WHERE rollout_id = ${rolloutId}
    UNION ALL SELECT ${newRolloutId}, ${rolloutId}, ${ring}`.execute(trx);
}

/** Lists the rollouts that were split from these ones, directly or not. */
export async function listSplits(db: Database, rolloutIds: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT DISTINCT rollout_id AS id FROM rollout_splits
    WHERE split_from = ANY(${rolloutIds}::bigint[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists the splits of and from these rollouts, oldest first. */
export function listSplitRows(db: Database, rolloutIds: number[]) {
  const ids = sql<number>`ANY(${rolloutIds}::bigint[])`;
  return tables(db)
    .selectFrom('rollout_splits')
    .selectAll()
    .where((where) => where.or([where('rollout_id', '=', ids), where('split_from', '=', ids)]))
    .orderBy('rollout_id')
    .orderBy('split_from')
    .execute();
}

/** Finds the requested sites that exist, and whether each is in a later ring of the rollout. */
export async function findCanaries(
  trx: Trx,
  { rolloutId, ring }: Ring,
  siteIds: number[],
  isVisible: RawBuilder<SqlBool>,
): Promise<{ site_id: number; is_visible: boolean; is_later: boolean }[]> {
  const { rows } = await sql<{ site_id: number; is_visible: boolean; is_later: boolean }>`
    SELECT s.id AS site_id, ${isVisible} AS is_visible, s.archived_at IS NULL AND EXISTS (
      SELECT FROM rollout_sites rs
      WHERE rs.rollout_id = ${rolloutId} AND rs.site_id = s.id AND rs.ring > ${ring}) AS is_later
    FROM sites s WHERE s.id = ANY(${siteIds}::bigint[])`.execute(trx);
  return rows;
}

export async function moveSites(
  trx: Trx,
  { rolloutId, ring }: Ring,
  siteIds: number[],
): Promise<void> {
  await sql`
    UPDATE rollout_sites SET ring = ${ring}
    WHERE rollout_id = ${rolloutId} AND site_id = ANY(${siteIds}::bigint[])`.execute(trx);
}
