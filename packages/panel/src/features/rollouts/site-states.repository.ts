import type { RolloutItem, RolloutSite, RolloutSiteState } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { LATER_TROUBLE, type UpdateEvidence } from '../health/index.ts';

/** A check after the update found the site worse than before. */
const WORKED_WORSE_AT_ONCE = sql<SqlBool>`EXISTS (
  SELECT FROM task_health h WHERE h.task_id = t.id AND h.troubles <> '[]')`;
export const WORKS_WORSE = sql<SqlBool>`(${WORKED_WORSE_AT_ONCE}
  OR EXISTS (SELECT FROM repeated_checks c WHERE c.task_id = t.id AND c.troubles <> '[]'))`;

/** An updated item is troubled according to the real requests of the site. */
const WATCH_ERROR = sql<string | null>`(
  SELECT min((w.error ->> 'message') || ' in ' || (w.error ->> 'place')) FROM update_watches w
  WHERE w.task_id = t.id AND w.state = 'troubled')`;
const HAS_TROUBLED_WATCH = sql<SqlBool>`EXISTS (
  SELECT FROM update_watches w WHERE w.task_id = t.id AND w.state = 'troubled')`;

/** Pages could not be checked, and the result shows no problem. The same rule as `isUnchecked`. */
const IS_UNCHECKED = sql<SqlBool>`(t.code IS NOT DISTINCT FROM 'pages_not_checked')`;

/** The same rule as `isTroubled`, for counts: the panel would read the details of all tasks otherwise. */
const IS_TROUBLED = sql<SqlBool>`(t.finished_at IS NOT NULL AND (
  t.status = 'unknown' OR t.status = 'unverified' AND NOT ${IS_UNCHECKED}
  OR t.code IS NOT DISTINCT FROM 'pages_differ'
  OR ${WORKS_WORSE} OR ${HAS_TROUBLED_WATCH}
  OR t.status IN ('partial', 'failed') AND jsonb_path_exists(t.details,
    '$.results.*[*] ? (@.success == false && !exists(@.code))')))`;

/** The panel refused the task because of a quarantine or a rule, and did not call the site. */
const IS_HELD = sql<SqlBool>`(t.status = 'refused' AND t.code = 'held_version')`;

const STATE = sql<RolloutSiteState>`CASE
  WHEN t.id IS NULL THEN CASE WHEN EXISTS (
    SELECT FROM rollouts ro WHERE ro.id = rs.rollout_id AND ro.status = 'cancelled')
    THEN 'cancelled' ELSE 'waiting' END
  WHEN t.finished_at IS NULL THEN CASE WHEN t.dispatched_at IS NULL THEN 'waiting' ELSE 'updating' END
  WHEN ${IS_TROUBLED} THEN 'troubled'
  WHEN t.status = 'succeeded' THEN 'updated'
  WHEN t.status = 'unverified' THEN 'unchecked'
  WHEN t.status = 'cancelled' THEN 'cancelled'
  -- A resume tries these sites again.
  WHEN ${IS_HELD} AND EXISTS (SELECT FROM rollouts ro
    WHERE ro.id = rs.rollout_id AND ro.ring = rs.ring AND ro.status = 'halted') THEN 'cancelled'
  ELSE 'failed' END`;

/**
 * The rollouts whose runs updated a site `rs` in its ring: its own, and those from which it was split after this ring. Items that
 * stop for lack of proof move into a rollout of their own, but the runs so far installed them.
 */
export const EVIDENCE_ROLLOUTS = sql<number[]>`ARRAY(
  SELECT rs.rollout_id UNION ALL SELECT sp.split_from FROM rollout_splits sp
  WHERE sp.rollout_id = rs.rollout_id AND sp.ring >= rs.ring)`;

/**
 * Joins each site of a rollout `rs` with its last task `t`. A refused or cancelled task, or one that failed without
 * details from the site, does not replace an earlier result.
 */
const LAST_TASK = sql`LEFT JOIN LATERAL (
  SELECT task.* FROM runs r JOIN run_tasks task ON task.run_id = r.id AND task.site_id = rs.site_id
  WHERE r.rollout_id = ANY(${EVIDENCE_ROLLOUTS}) AND r.ring = rs.ring
  ORDER BY task.status IN ('refused', 'cancelled') OR task.status = 'failed' AND task.details IS NULL,
    task.id DESC LIMIT 1) t ON true`;

/** The slugs of the items that the site of a task refused before it changed anything. */
const REFUSED_SLUGS = sql`ARRAY(
  SELECT coalesce(item ->> 'slug', 'core') FROM jsonb_path_query(t.details,
    '$.results.*[*] ? (@.success == false && exists(@.code))') AS item)`;

/** The slugs of the items that a task updated although others failed. Null if none, or if the whole task succeeded. */
const PARTLY_UPDATED_SLUGS = sql`CASE WHEN t.status <> 'succeeded' THEN (
  SELECT array_agg(coalesce(item ->> 'slug', 'core')) FROM jsonb_path_query(t.details,
    '$.results.keyvalue() ? (@.key != "translations").value[*] ? (@.success == true)') AS item) END`;

/** Why the result of the task itself is trouble. A result that is not may have notes, and later trouble. */
const TASK_ERROR = sql<string | null>`CASE WHEN NOT ${IS_UNCHECKED} THEN t.error END`;
const TASK_NOTE = sql<string | null>`CASE
  WHEN t.status = 'unverified' AND NOT ${IS_UNCHECKED} OR t.code = 'pages_differ' OR ${WORKED_WORSE_AT_ONCE}
  THEN t.notes[1] END`;

export type StateCount = {
  rollout_id: number;
  ring: number;
  state: RolloutSiteState;
  sites: number;
};

/** Counts the sites of the rollouts by ring and state. */
export async function countSiteStates(db: Database, rolloutIds: number[]): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    SELECT rs.rollout_id, rs.ring, ${STATE} AS state, count(*)::int AS sites
    FROM rollout_sites rs ${LAST_TASK}
    WHERE rs.rollout_id = ANY(${rolloutIds}::bigint[]) GROUP BY 1, 2, 3`.execute(db);
  return rows;
}

type SiteRow = Omit<RolloutSite, 'updated_slugs'> & {
  is_visible: boolean;
  updated_slugs: string[] | null;
};

/**
 * Lists the sites of a rollout that the user may see, in each ring the troubled sites first, and counts all its sites.
 * One query for both: the page of a rollout polls, and finding the last task of each site is most of the work.
 */
export async function readRolloutSites(
  db: Database,
  rolloutId: number,
  isVisible: RawBuilder<SqlBool>,
): Promise<{ sites: RolloutSite[]; counts: StateCount[] }> {
  const { rows } = await sql<SiteRow>`
    SELECT ${isVisible} AS is_visible, rs.site_id, site_label(s.display_name, s.url) AS name, rs.ring, ${STATE} AS state, t.run_id, t.id AS task_id,
      coalesce(${TASK_ERROR},
        (SELECT min(item ->> 'error') FROM jsonb_path_query(t.details,
          '$.results.*[*] ? (@.success == false && !exists(@.code))') AS item),
        ${TASK_NOTE}, ${WATCH_ERROR}, CASE WHEN ${WORKS_WORSE} THEN ${LATER_TROUBLE} END,
        (SELECT min(item ->> 'error') FROM jsonb_path_query(t.details,
          '$.results.*[*] ? (@.success == false)') AS item), t.error) AS error,
      coalesce(jsonb_path_exists(t.details, '$.results.*[*] ? (@.rolled_back == true)'), false) AS is_rolled_back,
      ${PARTLY_UPDATED_SLUGS} AS updated_slugs
    FROM rollout_sites rs JOIN sites s ON s.id = rs.site_id ${LAST_TASK}
    WHERE rs.rollout_id = ${rolloutId} ORDER BY rs.ring, ${inNaturalOrder(sql`s.name`)}, rs.site_id`.execute(
    db,
  );
  const counts = new Map<string, StateCount>();
  for (const { ring, state } of rows) {
    const key = `${ring} ${state}`;
    const count = counts.get(key) ?? { rollout_id: rolloutId, ring, state, sites: 0 };
    count.sites++;
    counts.set(key, count);
  }
  const troubleRank = ({ state }: SiteRow) => Number(state === 'troubled');
  const sites = rows
    .filter(({ is_visible }) => is_visible)
    .sort((a, b) => a.ring - b.ring || troubleRank(b) - troubleRank(a))
    .map(toRolloutSite);
  return { sites, counts: [...counts.values()] };
}

function toRolloutSite({ is_visible: _, updated_slugs, ...site }: SiteRow): RolloutSite {
  return updated_slugs === null ? site : { ...site, updated_slugs };
}

export type TaskToJudge = UpdateEvidence & {
  ring: number;
  site_id: number;
  task_id: number;
  items: RolloutItem[] | null;
  error: string | null;
  /** The first note, if the result of the task itself is trouble. */
  note: string | null;
  /** The error of a real request. */
  watch_error: string | null;
};

/**
 * Reads the tasks that may have caused trouble, `isTroubled` decides. Without those that a user has accepted, unless
 * `withAccepted`.
 */
export async function readTasksToJudge(
  db: Database,
  rolloutId: number,
  { withAccepted = false } = {},
): Promise<TaskToJudge[]> {
  const { rows } = await sql<TaskToJudge>`
    SELECT rs.ring, rs.site_id, t.id AS task_id, t.items, ${TASK_ERROR} AS error, ${TASK_NOTE} AS note,
      t.status, t.code, t.finished_at IS NOT NULL AS is_finished, ${WORKS_WORSE} AS works_worse,
      coalesce(jsonb_path_query_array(t.details,
        '$.results.*[*] ? (@.success == false || @.verified == false)'), '[]') AS failures,
      coalesce((SELECT jsonb_agg(jsonb_build_object('type', w.type, 'slug', w.slug)) FROM update_watches w
        WHERE w.task_id = t.id AND w.state = 'troubled'), '[]') AS troubled_items,
      ${WATCH_ERROR} AS watch_error
    FROM rollout_sites rs ${LAST_TASK}
    WHERE rs.rollout_id = ${rolloutId} AND (${withAccepted} OR rs.accepted_task_id IS DISTINCT FROM t.id)
      AND (t.status IN ('partial', 'failed', 'unverified', 'unknown') OR t.code = 'pages_differ' OR ${WORKS_WORSE} OR ${HAS_TROUBLED_WATCH})
    ORDER BY t.finished_at, rs.site_id`.execute(db);
  return rows;
}

/**
 * The sites of a ring that get an item. `tried`: the site installed the item, or tried to, and the result proves something.
 * `open`: its task has not ended.
 */
export type ItemCount = { ring: number; type: string; slug: string; tried: number; open: number };

/**
 * Counts the sites by ring and item. Sites whose task ended without a call, that refused the item, or whose pages could not be
 * checked, do not count: a ring with only such sites proves nothing.
 */
export async function countItemSites(db: Database, rolloutId: number): Promise<ItemCount[]> {
  const { rows } = await sql<ItemCount>`
    SELECT rs.ring, item ->> 'type' AS type, item ->> 'slug' AS slug,
      count(*) FILTER (WHERE t.finished_at IS NOT NULL AND (NOT ${IS_UNCHECKED} OR ${IS_TROUBLED}))::int AS tried,
      count(*) FILTER (WHERE t.finished_at IS NULL)::int AS open
    FROM rollout_sites rs ${LAST_TASK} CROSS JOIN LATERAL jsonb_array_elements(t.items) AS item
    WHERE rs.rollout_id = ${rolloutId}
      AND (t.finished_at IS NULL OR t.status IN ('succeeded', 'partial', 'unverified', 'unknown')
        OR t.status = 'failed' AND t.details IS NOT NULL)
      AND item ->> 'slug' <> ALL(${REFUSED_SLUGS})
    GROUP BY 1, 2, 3`.execute(db);
  return rows;
}

/** Accepts the present trouble of a rollout. A later task of the same site can cause new trouble. */
export async function acceptTroubles(
  trx: Trx,
  rolloutId: number,
  troubles: { site_id: number; task_id: number }[],
): Promise<void> {
  await sql`
    UPDATE rollout_sites SET accepted_task_id = troubled.task_id
    FROM unnest(${troubles.map(({ site_id }) => site_id)}::bigint[],
      ${troubles.map(({ task_id }) => task_id)}::bigint[]) AS troubled (site_id, task_id)
    WHERE rollout_id = ${rolloutId} AND rollout_sites.site_id = troubled.site_id`.execute(trx);
}

/**
 * Lists the sites of a ring that still need a call: at first all of them, after a resume those whose tasks were
 * cancelled, or refused because the version was held.
 */
export async function listUncalledSites(
  db: Database,
  rolloutId: number,
  ring: number,
): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    SELECT rs.site_id FROM rollout_sites rs ${LAST_TASK}
    WHERE rs.rollout_id = ${rolloutId} AND rs.ring = ${ring}
      AND (t.id IS NULL OR t.status = 'cancelled' OR ${IS_HELD})
    ORDER BY rs.site_id`.execute(db);
  return rows.map(({ site_id }) => site_id);
}
