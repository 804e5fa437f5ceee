import { expect, it, onTestFinished } from 'vitest';
import { signInOwner } from '../../packages/panel/test/support/panel-user.ts';
import { startFleet } from '../../packages/panel/test/support/site-fleet.ts';
import { openBed } from '../test-bed/bed.ts';
import { writePlugin } from '../test-bed/packages.ts';
import { STEWARD } from './support/installed-steward.ts';
import { createLicensedSite, startLicensingPanel } from './support/licensed-site.ts';

const SHOP = 'shop/shop.php';

/** Real WordPress sites and agents together, some of them in trouble, updated by one run of a real panel. */
// The panel asks a site that does not answer for minutes what became of its update.
it('gives each site of a mixed fleet its true result, and updates those that can be', {
  timeout: 400_000,
}, async () => {
  const [bed, panel] = await Promise.all([
    openBed(),
    startLicensingPanel({
      ALLOW_PRIVATE_SITES: 'true',
      SITE_CALLS_PER_ADDRESS: '20',
      SITE_CONNECT_TIMEOUT: '2',
      SITE_ACTION_TIMEOUT: '5',
      SITE_UPDATE_TIMEOUT: '20',
    }),
  ]);
  onTestFinished(async () => {
    await bed.stop();
    await panel.stop();
  });
  const fleet = await startFleet(panel.url, panel.licenseKey);
  onTestFinished(() => fleet.stop());

  const wordpress = async (version: string, options: { corrupt?: boolean; body?: string } = {}) => {
    const site = await createLicensedSite(bed, panel);
    await site.connect();
    await writePlugin(site, 'shop', '1.0');
    await site.setActivePlugins([SHOP, STEWARD]);
    const address = await bed.packages.plugin('shop', version, options);
    await site.offer({ plugins: { [SHOP]: { version, package: address } } });
    await site.storeUpdateTransients();
    return site;
  };
  const good = await wordpress('2.0');
  const corrupt = await wordpress('2.1', { corrupt: true });
  const deadly = await wordpress('2.2', { body: 'no_such_function();' });
  const remoteOff = await wordpress('2.3');
  await remoteOff.connect({ services: [] });
  const agent = await fleet.add('agent');
  const hanging = await fleet.add('hanging');
  hanging.faults.answer = 'hang';
  const html = await fleet.add('html');
  html.faults.answer = 'html';
  const otherKey = await fleet.add('other-key');
  await otherKey.options.write({ service_license_key: 'another' });

  const owner = await signInOwner(panel.url, panel.env);
  const { sites } = (await owner.get('/panel/sites?limit=50')).body;
  const idOf = (url: string) =>
    sites.find((site: { url: string }) => site.url.replace(/\/$/, '') === url).id as number;
  const fleetOf = {
    good: good.siteId,
    corrupt: corrupt.siteId,
    deadly: deadly.siteId,
    remoteOff: remoteOff.siteId,
    agent: idOf(agent.siteUrl),
    hanging: idOf(hanging.siteUrl),
    html: idOf(html.siteUrl),
    otherKey: idOf(otherKey.siteUrl),
  };
  const { body } = await owner.post(
    '/remote/update',
    { site_ids: Object.values(fleetOf) },
    { prefer: 'wait=300' },
  );
  const seen = Object.fromEntries(
    Object.keys(fleetOf).map((name, index) => [
      name,
      [body.results[index].status, body.results[index].code],
    ]),
  );
  expect(seen).toEqual({
    good: ['succeeded', null],
    corrupt: ['failed', null],
    deadly: ['failed', null],
    remoteOff: ['failed', 'remote_disabled'],
    agent: ['succeeded', null],
    hanging: ['unknown', 'site_timeout'],
    html: ['unknown', 'site_invalid_response'],
    otherKey: ['failed', 'site_rejected_key'],
  });
  const versions = await Promise.all(
    [good, corrupt, deadly, remoteOff].map(async (site) => (await site.installedPlugins())[SHOP]),
  );
  expect(versions).toEqual(['2.0', '1.0', '1.0', '1.0']);
  expect((await fetch(deadly.url)).status).toBe(200);

  const { records } = (await owner.get('/panel/audit?entity_type=remote_update')).body;
  const outcomes = new Map(
    records.map((record: { site_id: number; context: { outcome: string } }) => [
      record.site_id,
      record.context.outcome,
    ]),
  );
  for (const [name, id] of Object.entries(fleetOf)) {
    expect([name, outcomes.get(id)]).toEqual([name, seen[name]?.[0]]);
  }
});
