import { DEFAULT_ROLLOUT_SETTINGS, WATCH_STATES } from '@steward/contract';
import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import type { TestTrx } from '@steward/testkit/postgres/show-tables.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ItemResult, isRefused, isTroubled } from '../../src/features/health/judge-update.ts';
import { listTroubles } from '../../src/features/rollouts/items-over-limit.ts';
import { insertRollout } from '../../src/features/rollouts/rollouts.repository.ts';
import {
  acceptTroubles,
  countItemSites,
  countSiteStates,
  readRolloutSites,
} from '../../src/features/rollouts/site-states.repository.ts';
import { insertRun } from '../../src/features/runs/runs.repository.ts';

const { panel } = usePanelWithOwner();
const SITES = 6;
const ITEMS = ['shop/shop.php', 'blog/blog.php'].map((slug) => ({
  type: 'plugin',
  slug,
  version: '2.0',
}));
const SHOP = { type: 'plugin', slug: 'shop/shop.php' } as const;
const siteIds: number[] = [];

beforeAll(async () => {
  const license = await newLicenseWithSites(panel);
  for (let index = 0; index < SITES; index++) siteIds.push((await license.addSite()).id);
});

const item = fc.record(
  {
    slug: fc.constantFrom('shop/shop.php', 'blog/blog.php'),
    success: fc.boolean(),
    code: fc.constantFrom('php_too_old', null),
    error: fc.constantFrom('Broken.', null),
    verified: fc.boolean(),
    rolled_back: fc.boolean(),
  },
  { requiredKeys: ['success'] },
);
const results = fc.record(
  {
    plugins: fc.array(item, { maxLength: 3 }),
    themes: fc.array(item, { maxLength: 2 }),
    core: fc.option(item),
    translations: fc.array(item, { maxLength: 2 }),
  },
  { requiredKeys: ['plugins', 'themes', 'core'] },
);
const task = fc
  .record({
    state: fc.constantFrom(
      ...(['succeeded', 'partial', 'failed', 'unverified', 'unknown'] as const),
      ...(['refused', 'cancelled', 'running', 'verifying'] as const),
    ),
    code: fc.constantFrom('pages_not_checked', 'pages_differ', 'site_unhealthy', null),
    results: fc.option(results),
    hasTroubleAtOnce: fc.boolean(),
    hasTroubleLater: fc.boolean(),
    watch: fc.option(fc.constantFrom(...WATCH_STATES)),
  })
  .map(({ state, ...facts }) => ({
    ...facts,
    status: state === 'verifying' ? ('unknown' as const) : state,
    isFinished: state !== 'running' && state !== 'verifying',
  }));
type Task = typeof task extends fc.Arbitrary<infer T> ? T : never;

const listItems = ({ results: found }: Task): ItemResult[] =>
  Object.values(found ?? {}).flatMap((items) => items ?? []);

describe('the rule for troubled sites', () => {
  it('is the same in TypeScript and in SQL', async () => {
    const tasks = fc.array(task, { minLength: 1, maxLength: SITES });
    await fc.assert(
      fc.asyncProperty(tasks, async (given) => {
        const expected = siteIds.filter((_, index) => {
          const found = given[index];
          if (!found) return false;
          return isTroubled({
            status: found.status,
            code: found.code,
            is_finished: found.isFinished,
            works_worse: found.hasTroubleAtOnce || found.hasTroubleLater,
            failures: listItems(found),
            troubled_items: found.watch === 'troubled' ? ITEMS.slice(0, 1) : [],
          });
        });
        const id = await panel.db.transaction().execute((trx) => insert(trx, given));
        const { sites } = await readRolloutSites(panel.db, id, sql`true`);
        const troubled = sites.filter(({ state }) => state === 'troubled');
        expect(troubled.map(({ site_id }) => site_id).toSorted(byNumber)).toEqual(expected);
        const [counted = { sites: 0 }] = (await countSiteStates(panel.db, [id])).filter(
          ({ state }) => state === 'troubled',
        );
        expect(counted.sites).toBe(expected.length);
        const unchecked = sites.filter(({ state }) => state === 'unchecked');
        expect(unchecked.map(({ site_id }) => site_id).toSorted(byNumber)).toEqual(
          siteIds.filter((id, index) => isUnchecked(given[index]) && !expected.includes(id)),
        );
        const counts = await countItemSites(panel.db, id);
        for (const { slug } of ITEMS) {
          const tried = given.filter(
            (each, index) =>
              tries(each, slug) &&
              (each.code !== 'pages_not_checked' || expected.includes(siteIds[index] ?? 0)),
          ).length;
          expect(counts.find((count) => count.slug === slug)?.tried ?? 0).toBe(tried);
        }
        const troubles = await listTroubles(panel.db, id);
        expect(troubles.map(({ site_id }) => site_id).toSorted(byNumber)).toEqual(expected);
        await panel.db.transaction().execute((trx) => acceptTroubles(trx, id, troubles));
        expect(await listTroubles(panel.db, id)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

/** Whether the site installed an item or tried to: it was called and did not refuse the item. */
const tries = (given: Task, slug: string) =>
  given.isFinished &&
  !['refused', 'cancelled'].includes(given.status) &&
  (given.status !== 'failed' || given.results !== null) &&
  !listItems(given).some((item) => isRefused(item) && (item.slug ?? 'core') === slug);

const isUnchecked = (given: Task | undefined) =>
  given?.status === 'unverified' && given.isFinished && given.code === 'pages_not_checked';

const byNumber = (a: number, b: number) => a - b;

/** Inserts a rollout whose first sites have these tasks. The others have none. */
async function insert(trx: TestTrx, given: Task[]): Promise<number> {
  const now = panel.fakes.now;
  const created = { origin: OPERATOR, created_by: null, created_at: now };
  const settings = DEFAULT_ROLLOUT_SETTINGS;
  const id = await insertRollout(
    trx,
    { name: 'Shop 2.0', items: [], settings, status: 'halted', ring: 0, ...created },
    [{ position: 0, name: 'All', sites: siteIds.length }],
    siteIds.map((site_id) => ({ site_id, ring: 0 })),
  );
  const total = given.length;
  const run = { kind: 'update', request: {}, retry_of: null, rollout_id: id, ring: 0 } as const;
  const runId = await insertRun(trx, { ...run, ...created, total, open_tasks: total });
  const rows = given.map(({ status, isFinished, code, results: found }, position) => ({
    ...{ run_id: runId, position, site_id: siteIds[position], status, code },
    finished_at: isFinished ? now : null,
    items: ITEMS,
    details: found && { success: false, results: found, errors: [] },
  }));
  const { rows: inserted } = await sql<{ id: number; position: number; site_id: number }>`
    INSERT INTO run_tasks (run_id, position, site_id, status, code, finished_at, items, details)
    SELECT run_id, position, site_id, status, code, finished_at, items, nullif(details, 'null')
    FROM jsonb_populate_recordset(NULL::run_tasks, ${JSON.stringify(rows)}::jsonb)
    RETURNING id, position, site_id`.execute(trx);
  for (const { id: task_id, position, site_id } of inserted) {
    const { hasTroubleAtOnce, hasTroubleLater, watch } = given[position] as Task;
    const troubles = sql<never>`'[{"message": "Slow."}]'::jsonb`;
    const checked = { task_id, run_id: runId, site_id, after: null, troubles };
    const health = { ...checked, before: null, observed_at: now };
    if (hasTroubleAtOnce) await trx.insertInto('task_health').values(health).execute();
    const updated = { ...SHOP, task_id, run_id: runId, site_id, name: 'Shop', from_version: null };
    const times = { started_at: now, until: now };
    const watched = { ...updated, ...times, to_version: '2.0', state: watch ?? 'watching' };
    if (watch !== null) await trx.insertInto('update_watches').values(watched).execute();
    const check = { ...checked, due_at: now, delay_seconds: 60, done_at: now };
    if (hasTroubleLater) await trx.insertInto('repeated_checks').values(check).execute();
  }
  return id;
}
