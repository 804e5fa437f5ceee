import type { RuleTargetRequest, UpdateRule } from '@steward/contract';
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { tables } from './database.ts';
import type { RuleTables } from './tables.ts';

export type RuleRow = Selectable<RuleTables['update_rules']>;
export type RuleTarget = Pick<RuleRow, 'tag_id' | 'site_id' | 'item_type' | 'slug'>;

/** A rule with the names of its tag, site and item, for sentences, and with the id of its tag. */
export type RuleInWords = Omit<UpdateRule, 'sites'> & { tag_id: number | null };

type Rows<Row> = (Omit<Row, 'created_at'> & { created_at: Date })[];

function selectRules(...more: RawBuilder<unknown>[]) {
  return sql`SELECT r.id, r.tag_id,
      CASE WHEN r.site_id IS NOT NULL THEN 'site' WHEN r.tag_id IS NOT NULL THEN 'tag' ELSE 'fleet' END AS scope,
      t.name AS tag, r.site_id, site_label(s.display_name, s.url) AS site_name, r.item_type, r.slug, w.name AS item_name,
      r.aspect, r.level, r.version, r.days, r.hours, r.enabled, r.note, u.name AS created_by, r.created_at, r.revision
      ${sql.join(
        more.map((column) => sql`, ${column}`),
        sql` `,
      )}
    FROM update_rules r LEFT JOIN tags t ON t.id = r.tag_id LEFT JOIN sites s ON s.id = r.site_id
      LEFT JOIN software w ON w.type = r.item_type AND w.slug = r.slug
      LEFT JOIN users u ON u.id = r.created_by`;
}

/** Lists the rules for their page: rules for all sites, then for tags, then for single sites. With `id`: only this one. */
export async function listRules(db: Database, id?: number): Promise<UpdateRule[]> {
  const { rows } = await sql`${selectRules(sql`${countSites('r')} AS sites`)}
    ${id === undefined ? sql`` : sql`WHERE r.id = ${id}`}
    ORDER BY r.site_id IS NOT NULL, r.tag_id IS NOT NULL, ${inNaturalOrder(sql`t.name`)}, ${inNaturalOrder(sql`s.name`)}, r.item_type NULLS FIRST,
      r.slug NULLS FIRST, r.aspect, r.version, r.id`.execute(db);
  return (rows as Rows<UpdateRule & { tag_id: number }>).map(
    ({ created_at, tag_id: _, ...rule }) => ({
      ...rule,
      created_at: created_at.toISOString(),
    }),
  );
}

/**
 * Reads all rules that hold versions back, without counting their sites. `findHold` needs them in memory, so RULES_MAX limits
 * their number.
 */
export const readRules = (db: Database) => readRulesWhere(db, sql`r.aspect <> 'restore'`);

export const readRestoreRules = (db: Database) => readRulesWhere(db, sql`r.aspect = 'restore'`);

async function readRulesWhere(
  db: Database,
  condition: RawBuilder<unknown>,
): Promise<RuleInWords[]> {
  const { rows } = await sql`${selectRules()} WHERE ${condition} ORDER BY r.id`.execute(db);
  return (rows as Rows<RuleInWords>).map((rule) => ({
    ...rule,
    created_at: rule.created_at.toISOString(),
  }));
}

/** Counts the sites that a rule with this target concerns, according to their last reports. */
export async function countTargetSites(db: Database, target: RuleTarget): Promise<number> {
  const { rows } = await sql<{ sites: number }>`
    SELECT ${countSites('r')} AS sites
    FROM (SELECT ${target.tag_id}::bigint AS tag_id, ${target.site_id}::bigint AS site_id,
      ${target.item_type}::text AS item_type, ${target.slug}::text AS slug) AS r`.execute(db);
  return rows[0]?.sites ?? 0;
}

/** A target without a slug concerns all sites of its scope. For an item on all sites, `software_counts` has the number. */
function countSites(rule: string) {
  const r = (column: string) => sql.ref(`${rule}.${column}`);
  const inScope = sql`(${r('site_id')} IS NULL OR s.id = ${r('site_id')}) AND (${r('tag_id')} IS NULL
    OR EXISTS (SELECT FROM site_tags st WHERE st.site_id = s.id AND st.tag_id = ${r('tag_id')}))`;
  return sql<number>`CASE
    WHEN ${r('slug')} IS NOT NULL AND ${r('tag_id')} IS NULL AND ${r('site_id')} IS NULL THEN (
      SELECT coalesce(sum(c.sites), 0) FROM software w JOIN software_counts c ON c.software_id = w.id
      WHERE c.scope = 0 AND w.type = ${r('item_type')} AND w.slug = ${r('slug')})
    WHEN ${r('slug')} IS NOT NULL THEN (
      SELECT count(*) FROM software w JOIN site_software i ON i.software_id = w.id
        JOIN sites s ON s.id = i.site_id
      WHERE w.type = ${r('item_type')} AND w.slug = ${r('slug')} AND s.archived_at IS NULL AND ${inScope})
    ELSE (SELECT count(*) FROM sites s WHERE s.archived_at IS NULL AND ${inScope})
    END::integer`;
}

/**
 * Until the commit, no other transaction can create a rule, so the count stays within RULES_MAX. Readers do not wait.
 */
export async function lockAndCountRules(trx: Trx): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('steward: rules', 0))`.execute(trx);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM update_rules`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Returns null if such a rule exists already. */
export async function insertRule(
  trx: Trx,
  rule: Insertable<RuleTables['update_rules']>,
): Promise<number | null> {
  const row = await tables(trx)
    .insertInto('update_rules')
    .values(rule)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export function lockRule(trx: Trx, id: number): Promise<RuleRow | undefined> {
  const rule = tables(trx).selectFrom('update_rules').selectAll().where('id', '=', id);
  return rule.forUpdate().executeTakeFirst();
}

export async function updateRule(
  trx: Trx,
  id: number,
  values: Updateable<RuleTables['update_rules']>,
): Promise<void> {
  const change = { ...values, revision: sql<number>`revision + 1` };
  await tables(trx).updateTable('update_rules').set(change).where('id', '=', id).execute();
}

export async function deleteRule(trx: Trx, id: number): Promise<void> {
  await tables(trx).deleteFrom('update_rules').where('id', '=', id).execute();
}

/** Finds the id of the tag that a target names, and whether its site and its item exist. */
export async function findTarget(
  db: Database,
  { tag, site_id, item_type, slug }: RuleTargetRequest,
) {
  const { rows } = await sql<{ tag_id: number | null; has_site: boolean; has_item: boolean }>`
    SELECT (SELECT id FROM tags WHERE lower(name) = lower(${tag ?? null}::text) AND client_id IS NULL) AS tag_id,
      EXISTS (SELECT FROM sites WHERE id = ${site_id ?? null}::bigint) AS has_site,
      EXISTS (SELECT FROM software WHERE type = ${item_type ?? null}::text AND slug = ${slug ?? null}::text)
        AS has_item`.execute(db);
  return rows[0] ?? { tag_id: null, has_site: false, has_item: false };
}
