import { RULE_LEVELS, type UpdateItem } from '@steward/contract';
import {
  addManySites,
  newLicenseWithSites,
  newUserWithAccess,
} from '@steward/testkit/panel/licensed-sites.ts';
import { newUser } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { type AdmittedCandidate, dispatch } from '../../src/features/runs/worker/dispatch.ts';

const panel = useTestPanel();
const SHOP = { type: 'plugin', slug: 'shop/shop.php' } as const;
const CART = { type: 'plugin', slug: 'cart/cart.php' } as const;
const CORE = { type: 'core', slug: 'core' } as const;
const ITEMS = [SHOP, CART, CORE];
const DAY_MS = 86_400_000;

type User = { id: number; role: 'owner' | 'manager' };
let owner: User;
let manager: User;
let siteIds: number[] = [];
let licenseIds: number[] = [];
let tagId = 0;

beforeAll(async () => {
  const licenses = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
  licenseIds = licenses.map(({ id }) => id);
  for (const [index, id] of licenseIds.entries()) {
    await addManySites(
      panel,
      id,
      [1, 2, 3].map((n) => `s${index}${n}.example.com`),
    );
  }
  siteIds = (await query('SELECT id FROM sites ORDER BY id')).map(({ id }) => Number(id));
  owner = { id: (await newUser(panel)).id, role: 'owner' };
  const [first, second, , fourth] = siteIds;
  const granted = [first, second, fourth].map((siteId) => ({ siteId: Number(siteId) }));
  manager = { id: (await newUserWithAccess(panel, 'manager', granted)).id, role: 'manager' };
  [{ id: tagId }] = (await query("INSERT INTO tags (name) VALUES ('shops') RETURNING id")) as [
    { id: number },
  ];
});

const query = async (text: string, values: unknown[] = []) =>
  (await panel.pool.query(text, values)).rows;

const version = fc.constantFrom('1.0', '1.0.1', '1.1', '2.0');
const offered = { version, new_version: fc.option(version, { nil: undefined }) };
const site = fc.record({
  inventory: fc.option(
    fc.record({
      shop: fc.option(fc.record(offered)),
      cart: fc.option(fc.record(offered)),
      core: fc.record(offered),
    }),
    { freq: 8 },
  ),
  supportsItems: fc.boolean(),
  isTagged: fc.boolean(),
  status: fc.constantFrom('active', 'active', 'active', 'deactivated'),
  fault: fc.constantFrom(null, null, 'failing', 'not_reachable', 'remote_off'),
  keyEnds: fc.constantFrom(null, null, -1, 1),
  /** Hours since the last known backup. */
  backupAge: fc.constantFrom(null, 1, 30),
});
const rule = fc.record({
  scope: fc.oneof(fc.constantFrom('fleet', 'tag'), fc.nat(5)),
  target: fc.constantFrom(...ITEMS, { type: 'plugin', slug: null }, { type: null, slug: null }),
  effect: fc.oneof(
    fc.record({ aspect: fc.constant('level'), level: fc.constantFrom(...RULE_LEVELS), version }),
    fc.record({ aspect: fc.constant('ignore'), version }),
    fc.record({ aspect: fc.constant('wait'), days: fc.constantFrom(0, 2) }),
    fc.record({ aspect: fc.constant('backup'), hours: fc.constantFrom(0, 24, 48) }),
  ),
});
const fleet = fc.record({
  sites: fc.array(site, { minLength: 6, maxLength: 6 }),
  rules: fc.array(rule, { maxLength: 4 }),
  quarantined: fc.subarray(['1.1', '2.0'], { maxLength: 1 }),
  licenses: fc.tuple(
    fc.constantFrom('active', 'active', 'revoked'),
    fc.constantFrom('active', 'active', 'suspended', 'expired'),
  ),
  isManager: fc.boolean(),
  /** Days since the versions first appeared. */
  age: fc.constantFrom(0, 3),
});
type Fleet = typeof fleet extends fc.Arbitrary<infer Value> ? Value : never;

async function store({ sites, rules, quarantined, licenses, age }: Fleet): Promise<void> {
  const now = panel.fakes.now.getTime();
  await query('DELETE FROM update_rules');
  await query('DELETE FROM quarantined_versions');
  await query('DELETE FROM site_tags');
  const reports = sites.map(({ inventory, ...rest }, index) => ({
    ...rest,
    id: siteIds[index],
    inventory: inventory && {
      plugins: [
        ...(inventory.shop
          ? [{ plugin: SHOP.slug, name: 'Shop', active: true, ...inventory.shop }]
          : []),
        ...(inventory.cart
          ? [{ plugin: CART.slug, name: 'Cart', active: true, ...inventory.cart }]
          : []),
      ],
      themes: [],
      core: inventory.core,
    },
  }));
  for (const { id, inventory, fault, supportsItems, isTagged, status, ...rest } of reports) {
    const { keyEnds, backupAge } = rest;
    await query(
      `UPDATE sites SET inventory = $2, inventory_at = CASE WHEN $2::jsonb IS NULL THEN NULL ELSE now() END,
         fault = $3, fault_code = $4, fault_error = $4, fault_at = $5, backed_up_at = $6
       WHERE id = $1`,
      [
        id,
        inventory && JSON.stringify(inventory),
        fault,
        fault && 'Fault.',
        fault && new Date(now),
        backupAge && new Date(now - backupAge * 3_600_000),
      ],
    );
    await query(
      'UPDATE license_activations SET capabilities = $2, status = $3, key_ends_at = $4 WHERE site_id = $1',
      [
        id,
        supportsItems ? ['update.items'] : [],
        status,
        keyEnds && new Date(now + keyEnds * DAY_MS),
      ],
    );
    if (isTagged)
      await query('INSERT INTO site_tags (site_id, tag_id) VALUES ($1, $2)', [id, tagId]);
  }
  for (const [index, status] of licenses.entries()) {
    const isExpired = status === 'expired';
    await query('UPDATE licenses SET status = $2, expires_at = $3 WHERE id = $1', [
      ...[
        licenseIds[index],
        isExpired ? 'active' : status,
        isExpired ? new Date(now - DAY_MS) : null,
      ],
    ]);
  }
  await query('UPDATE software_versions SET first_seen_at = $1', [new Date(now - age * DAY_MS)]);
  for (const { scope, target, effect } of rules) {
    const {
      level = null,
      days = null,
      hours = null,
      version: value = null,
    } = { ...effect } as Record<string, unknown>;
    const hasVersion = effect.aspect === 'ignore' || level === 'pin';
    if (hasVersion && target.slug === null) continue;
    await query(
      `INSERT INTO update_rules (tag_id, site_id, item_type, slug, aspect, level, version, days, hours, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now()) ON CONFLICT DO NOTHING`,
      [
        scope === 'tag' ? tagId : null,
        typeof scope === 'number' ? siteIds[scope] : null,
        ...[target.type, target.slug, effect.aspect, level, hasVersion ? value : null, days, hours],
      ],
    );
  }
  for (const each of quarantined) {
    await query(
      `INSERT INTO quarantined_versions (item_type, slug, name, version, reason, created_at)
       VALUES ('plugin', $1, 'Shop', $2, 'Breaks.', now())`,
      [SHOP.slug, each],
    );
  }
}

type Request = { items?: UpdateItem[]; action?: string; plugin?: string };

/** Creates the run and dispatches its tasks, as a worker does. Returns the ids of the sites that it calls. */
async function run(user: User, ids: number[], request: Request = {}): Promise<number[]> {
  if (ids.length === 0) return [];
  const kind = request.action ? 'plugin_action' : 'update';
  const runId = await panel.runs.create(user, { kind, siteIds: ids, request }, OPERATOR);
  const tasks = await query(
    'SELECT id, attempt FROM run_tasks WHERE run_id = $1 AND finished_at IS NULL ORDER BY id',
    [runId],
  );
  if (tasks.length === 0) return [];
  const candidates = tasks.map(({ id, attempt }) => ({
    ...{
      job: { data: { runId, taskId: Number(id), attempt } },
      address: '192.0.2.1',
      before: null,
    },
  }));
  const clock = { now: () => panel.fakes.now };
  const decisions = await dispatch(candidates as unknown as AdmittedCandidate[], {
    db: panel.db,
    clock,
  });
  return decisions.flatMap((decision) => (decision.kind === 'call' ? [decision.task.site_id] : []));
}

const sorted = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);
const isOf =
  ({ type, slug }: { type: string; slug: string }) =>
  (item: { type: string; slug: string }) =>
    item.type === type && item.slug === slug;

/** A button counts with `summarize`, its dialog shows `preview`, and its run calls the sites of the dialog. */
async function check(given: Fleet): Promise<void> {
  await store(given);
  const user = given.isManager ? manager : owner;
  const { updatePlan } = panel.services;
  const preview = await updatePlan.preview(user, siteIds);
  const { to_update, nothing_pending, skipped, held } = preview;
  const refused = new Set(skipped.sites.filter((s) => s.status === 'remote_off').map((s) => s.id));
  const upToDate = new Set(nothing_pending.site_ids);
  const isCertain = (id: number) => !refused.has(id) && !upToDate.has(id);

  // All updates: the run calls each of the counted sites, and none of those that are held, disconnected or hidden.
  const all = await updatePlan.summarize(user, { site_ids: siteIds });
  expect(all.sites).toBe(to_update.site_ids.length);
  const called = await run(user, siteIds);
  expect(sorted(called.filter(isCertain))).toEqual(sorted(to_update.site_ids));
  expect(sorted(await run(user, to_update.site_ids))).toEqual(sorted(to_update.site_ids));
  const leftOut = all.left_out.reduce((sum, { sites }) => sum + sites, 0);
  expect(all.sites + leftOut + all.up_to_date + all.not_found).toBe(siteIds.length);
  expect(all.left_out.filter(({ reason }) => reason === 'held_version')).toEqual(
    held.count === 0
      ? []
      : expect.arrayContaining([expect.objectContaining({ hold: expect.anything() })]),
  );

  for (const item of ITEMS) {
    const offers = preview.to_update.items.filter(isOf(item));
    const toItems = (chosen: typeof offers) =>
      chosen.map(({ type, slug, version: to }) => ({ type, slug, version: to }));
    const allowed = offers.filter(({ hold }) => !hold);
    const ids = sorted(allowed.flatMap(({ site_ids }) => site_ids));
    const one = await updatePlan.summarize(user, { site_ids: siteIds, items: [item] });
    expect(one.sites).toBe(ids.length);
    expect(sorted(await run(user, ids, { items: toItems(allowed) }))).toEqual(ids);
    const heldOffers = offers.filter(({ hold }) => hold);
    const heldIds = sorted(heldOffers.flatMap(({ site_ids }) => site_ids));
    expect(await run(user, heldIds, { items: toItems(heldOffers) })).toEqual([]);
  }

  // The button in the row of a plugin: the page of a site disables it by `remote`, the status and `held_items`.
  const rows = await Promise.all(
    siteIds.map((id) => panel.services.siteList.show(user, id).catch(() => null)),
  );
  const pending = rows.flatMap((each) =>
    each?.inventory?.plugins.some(({ plugin, new_version }) => plugin === SHOP.slug && new_version)
      ? [each]
      : [],
  );
  const enabled = pending.filter(
    ({ remote, status, held_items }) =>
      remote.possible && status !== 'remote_off' && !held_items.some(isOf(SHOP)),
  );
  const updated = new Set(await run(user, siteIds, { action: 'update', plugin: SHOP.slug }));
  const callable = pending.filter(({ status }) => status !== 'remote_off');
  expect(callable.filter(({ id }) => updated.has(id)).map(({ id }) => id)).toEqual(
    enabled.map(({ id }) => id),
  );
}

it('counts exactly the sites that the run calls, for any fleet, holds, rules and faults', async () => {
  await fc.assert(fc.asyncProperty(fleet, check), { numRuns: 20 });
});
