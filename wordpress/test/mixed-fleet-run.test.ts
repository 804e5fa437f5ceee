import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { SHORT_DELAYS } from '@steward/testkit/panel/test-panel.ts';
import { startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  createLicensedSite,
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin, writeTheme } from '@steward/testkit/wordpress/packages.ts';
import type { Offers } from '@steward/testkit/wordpress/site-folder.ts';
import { expect, it, onTestFinished } from 'vitest';

const SHOP = 'shop/shop.php';

type Counts = { updated: number; failed: number };
type ExpectedResult = {
  status: string;
  code?: string;
  httpStatus?: number | null;
  plugins?: Counts;
  themes?: Counts;
  core?: Counts;
};

const NONE = { updated: 0, failed: 0 };
const UPDATED = { updated: 1, failed: 0 };
const FAILED = { updated: 0, failed: 1 };

/** The expected result of each site, by its name below. */
const EXPECTED_RESULTS: Record<string, ExpectedResult> = {
  good: { status: 'succeeded', plugins: UPDATED },
  themeAndCore: { status: 'succeeded', themes: UPDATED, core: UPDATED },
  corrupt: { status: 'failed', plugins: FAILED },
  deadly: { status: 'failed', plugins: FAILED },
  remoteOff: { status: 'failed', code: 'remote_disabled', httpStatus: 403 },
  down: { status: 'failed', code: 'site_unreachable' },
  agent: { status: 'succeeded', plugins: UPDATED },
  hanging: { status: 'unknown', code: 'site_timeout' },
  html: { status: 'unknown', code: 'site_invalid_response', httpStatus: 200 },
  otherKey: { status: 'failed', code: 'site_rejected_key', httpStatus: 401 },
};

const WORKER = {
  SITE_CALLS_PER_ADDRESS: '20',
  SITE_CONNECT_TIMEOUT: '2',
  SITE_ACTION_TIMEOUT: '5',
  SITE_UPDATE_TIMEOUT: '30',
};

/** One run of a real panel over WordPress sites and agents, some of them with faults. */
// The worker runs in this process with short delays: by default it reconciles the task of a hanging site for
// minutes.
it('records the actual result of each site in a mixed fleet', {
  timeout: 300_000,
}, async () => {
  const [bed, panel] = await Promise.all([
    openBed(),
    startLicensingPanel({ args: ['--role', 'web'] }),
  ]);
  const worker = await panel.startWorker(WORKER, { delays: SHORT_DELAYS });
  onTestFinished(async () => {
    await worker.stop();
    await bed.stop();
    await panel.stop();
  });
  const wordpress = await startWordPressSites(bed, panel);
  const agents = await startAgents(panel);

  const owner = await signInAt(panel.url, await panel.newUser());
  const { user } = (await owner.get('/panel/session')).body;
  const { sites } = (await owner.get('/panel/sites?limit=50')).body;
  const findId = (url: string): number =>
    sites.find((site: { url: string }) => site.url.replace(/\/$/, '') === url).id;
  const ids = new Map([
    ...Object.entries(wordpress).map(([name, { siteId }]) => [name, siteId] as const),
    ...Object.entries(agents).map(([name, { siteUrl }]) => [name, findId(siteUrl)] as const),
  ]);
  expect([...ids.keys()].toSorted()).toEqual(Object.keys(EXPECTED_RESULTS).toSorted());

  const { body } = await owner.post(
    '/remote/update',
    { site_ids: [...ids.values()] },
    { headers: { prefer: 'wait=300' } },
  );
  const names = [...ids.keys()];
  const actual = Object.fromEntries(
    body.results.map((result: { status: string; code: string | null }, index: number) => [
      names[index],
      [result.status, result.code],
    ]),
  );
  expect(actual).toEqual(
    Object.fromEntries(
      Object.entries(EXPECTED_RESULTS).map(([name, { status, code = null }]) => [
        name,
        [status, code],
      ]),
    ),
  );

  const { good, themeAndCore, corrupt, deadly, remoteOff } = wordpress;
  const versions = await Promise.all(
    [good, corrupt, deadly, remoteOff].map(async (site) => (await site.installedPlugins())[SHOP]),
  );
  expect(versions).toEqual(['2.0', '1.0', '1.0', '1.0']);
  expect((await themeAndCore.installedThemes()).plain).toBe('2.0');
  expect(await themeAndCore.coreVersion()).toBe('6.1');
  for (const { url } of [deadly, themeAndCore]) expect((await fetch(url)).status).toBe(200);

  const { records } = (await owner.get('/panel/audit?entity_type=remote_update')).body;
  expect(records).toHaveLength(ids.size);
  for (const [name, siteId] of ids) {
    const record = records.find((each: { site_id: number }) => each.site_id === siteId);
    const { notes = [], ...context } = record.context;
    for (const note of notes) expect(note).toMatch(/^\d+ pages compared\.$/);
    const expected = expectedRecord(name, siteId, body.run_id, user.id);
    expect([name, { ...record, context }]).toEqual([name, expected]);
  }
});

function expectedRecord(name: string, siteId: number, runId: number, userId: number) {
  const { status, code, httpStatus = null, ...counts } = EXPECTED_RESULTS[name] as ExpectedResult;
  const problem = { code, http_status: httpStatus, error: expect.stringMatching(/\S/) };
  return {
    id: expect.any(Number),
    at: expect.any(String),
    actor: String(userId),
    action: 'update',
    entity_type: 'remote_update',
    entity_id: String(siteId),
    site_id: siteId,
    context: {
      via: 'panel',
      run_id: runId,
      outcome: status,
      ...{ plugins: NONE, themes: NONE, core: NONE, ...counts },
      ...(code && problem),
      ...(Object.keys(counts).length > 0 && { items: expect.any(Array) }),
    },
    ip: '127.0.0.1',
    request_id: expect.any(String),
  };
}

async function startWordPressSites(bed: Bed, panel: LicensingPanel) {
  const createSite = async (offers: Partial<Offers>) => {
    const site = await createLicensedSite(bed, panel);
    await site.connect();
    await writePlugin(site, 'shop', '1.0');
    await writeTheme(site, 'plain', '1.0');
    await site.setActivePlugins([SHOP, STEWARD]);
    if (offers.core) await site.setCoreVersion('6.0');
    await site.offer(offers);
    await site.storeUpdateTransients();
    return site;
  };
  const shop = async (version: string, options: { corrupt?: boolean; body?: string } = {}) => {
    const packageUrl = await bed.packages.plugin('shop', version, options);
    return createSite({ plugins: { [SHOP]: { version, package: packageUrl } } });
  };
  const theme = { version: '2.0', package: await bed.packages.theme('plain', '2.0') };
  const core = { version: '6.1', package: await bed.packages.corePackage('6.1') };
  const sites = {
    good: await shop('2.0'),
    themeAndCore: await createSite({ themes: { plain: theme }, core }),
    corrupt: await shop('2.1', { corrupt: true }),
    deadly: await shop('2.2', { body: 'no_such_function();' }),
    remoteOff: await shop('2.3'),
    down: await shop('2.4'),
  };
  await sites.remoteOff.connect({ services: [] });
  await sites.down.stop();
  return sites;
}

async function startAgents(panel: LicensingPanel) {
  const fleet = await startFleet(panel.url, panel.licenseKey);
  onTestFinished(() => fleet.stop());
  const agents = {
    agent: await fleet.add('agent'),
    hanging: await fleet.add('hanging'),
    html: await fleet.add('html'),
    otherKey: await fleet.add('other-key'),
  };
  agents.hanging.faults.response = 'hang';
  agents.html.faults.response = 'html';
  await agents.otherKey.options.write({ service_license_key: 'another' });
  return agents;
}
