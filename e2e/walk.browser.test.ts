import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  expectNoFaults,
  usePanelInBrowser,
  type Visitor,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { refuseChanges, walkPage } from '@steward/testkit/browser/walk-page.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
/** The parameters of the paths below. */
const ids: Record<string, number> = {};
const dialogs = new Set<string>();

beforeAll(async () => {
  const expiresAt = new Date(Date.now() + 9 * 24 * 60 * 60 * 1000);
  const license = await panel.license(9, 'Team', { expiresAt });
  const fleet = await panel.fleet(license.license_key);
  const failing = outdatedSite();
  Object.assign(failing.plugins[SHOP] ?? {}, { updateFails: 'The disk of the server is full.' });
  await fleet.add('a-rather-long-name-for-the-shop-of-a-client');
  await fleet.add('failing', failing);
  await fleet.add('new', { plugins: {}, themes: {}, core: { version: '6.0' } });
  const owner = await panel.as(panel.owner);
  const { body } = await owner.get('/panel/sites');
  const sites: { id: number; name: string }[] = body.sites;
  const [site] = sites;
  const siteIds = sites.map(({ id }) => id);
  const waiting = { headers: { prefer: 'wait=60' } };
  const ask = async (path: string, request: object, options = {}) => {
    const answer = await owner.post(path, request, options);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const run = await ask('/remote/update', { site_ids: siteIds.slice(1) }, waiting);
  await ask('/panel/sites/tags', { site_ids: [site?.id], add: ['canary'] });
  const client = await ask('/panel/clients', { name: 'Harbour Dental' });
  const rollout = await ask('/panel/rollouts', {
    site_ids: siteIds,
    items: [{ type: 'plugin', slug: SHOP, version: '2.0' }],
  });
  await ask('/panel/rules', { aspect: 'wait', days: 3, item_type: 'plugin' });
  await ask('/panel/quarantine', {
    item_type: 'plugin',
    slug: SHOP,
    version: '3.0',
    reason: 'Customers report lost bookings.',
  });
  await ask('/panel/schedules', {
    name: 'Tuesdays',
    selection: { tag: 'canary' },
    types: ['plugin'],
    weekdays: [2],
    opens_at: '02:00',
    closes_at: '05:00',
    once_on: null,
    time_zone: 'Europe/Berlin',
    in_site_zone: true,
    in_rings: false,
    enabled: true,
  });
  await ask('/panel/notification-channels', {
    kind: 'webhook',
    name: 'Ops',
    url: 'http://127.0.0.1:9/hook',
  });
  await panel.newUser('manager', 'Mona');
  Object.assign(ids, {
    siteId: site?.id,
    runId: run.run_id,
    rolloutId: rollout.rollout.rollout_id,
    licenseId: license.id,
    clientId: client.client.id,
  });
});

/** The paths of all pages, read from the router: a new page is walked without a change here. */
const PATHS = Array.from(
  readFileSync(join(import.meta.dirname, '../packages/web/src/app/router.tsx'), 'utf8').matchAll(
    /path: '(\/[^']*)'/g,
  ),
  ([, path = '']) => path,
);
/** Pages that need parameters in their search. */
const SEARCH: Record<string, string> = { '/software/item': `?type=plugin&slug=${SHOP}` };
/** Pages that a signed-in user does not see. */
const SIGNED_OUT = ['/sign-in', '/setup', '/set-password'];

const toPath = (path: string) =>
  path.replace(/\$(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`The walk has no ${name}. Create one in beforeAll.`);
    return String(id);
  }) + (SEARCH[path] ?? '');

async function open(): Promise<Visitor> {
  const visitor = await panel.open(panel.owner);
  await refuseChanges(visitor.page);
  return visitor;
}

describe('a walk through all pages as an owner', () => {
  it.each(PATHS.filter((path) => !SIGNED_OUT.includes(path)))(
    'finds no fault on %s and in its dialogs',
    async (pattern) => {
      const path = toPath(pattern);
      const visitor = await open();
      const { page } = visitor;
      const visit = async (to: string) => {
        await page.evaluate(`history.pushState(null, '', ${JSON.stringify(to)})`);
        await page.getByRole('heading', { level: 1 }).waitFor();
      };
      await walkPage({ page, visit, dialogs }, path);
      expectNoFaults(visitor);
    },
  );

  it('has opened the dialogs', () => {
    expect(dialogs.size).toBeGreaterThan(35);
  });
});
