import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHealthMonitor, listTroubles } from '@steward/panel/features';
import { createSecrets } from '@steward/panel/program';
import { createSiteClient } from '@steward/panel/site-client';
import { registerSecret, testLogger } from '@steward/testkit/logs.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { openBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward, STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { expect, it, onTestFinished } from 'vitest';
import { findSiteId } from './support/panel-calls.ts';

const SHOP = 'shop/shop.php';
const WAIT = { headers: { prefer: 'wait=300' } };

/** A page cache as the drop-in of a caching plugin: it serves a stored home page before WordPress loads plugins. */
const PAGE_CACHE = `<?php
$file = WP_CONTENT_DIR . '/cached-home.html';
if ( 'GET' === $_SERVER['REQUEST_METHOD'] && '/' === $_SERVER['REQUEST_URI'] && ! $_COOKIE ) {
	if ( is_readable( $file ) ) {
		header( 'X-Cache: HIT' );
		readfile( $file );
		exit;
	}
	ob_start(
		static function ( $html ) use ( $file ) {
			200 === http_response_code() && file_put_contents( $file, $html );
			return $html;
		}
	);
}
`;

/** A fatal error that the site cannot see itself, because its own requests take another path through the code. */
const FATAL_FROM_OUTSIDE = `
if ( preg_match( '{^(Steward/|node|undici)}i', $_SERVER['HTTP_USER_AGENT'] ?? '' ) ) {
	no_such_function();
}`;

function createMonitor({ database }: LicensingPanel, clock: { now(): Date }) {
  const timeouts = { connectSeconds: 5, actionSeconds: 20, updateSeconds: 20 };
  const { services, db } = database;
  const siteClient = createSiteClient({
    allowPrivateSites: true,
    timeouts,
    signer: services.signingKeys,
  });
  const deps = { ...services, db, clock, siteClient, secrets: createSecrets(TEST_SECRET) };
  return createHealthMonitor({ ...deps, log: testLogger() }, { pingMinutes: 5, maxConcurrent: 5 });
}

it('the panel detects dead PHP behind a page cache, after an update and in its pings', {
  timeout: 300_000,
}, async () => {
  const [bed, panel] = await Promise.all([openBed(), startLicensingPanel()]);
  onTestFinished(async () => {
    await bed.stop();
    await panel.stop();
  });
  const owner = await signInAt(panel.url, await panel.newUser());
  const site = await bed.createSite();
  await installSteward(site);
  await site.changeSettings({ siteKeys: true });
  const printed = await site.runPhp(`
    $result = Steward\\Panel\\License::connect( '${panel.url}', '${panel.licenseKey}' );
    $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
    echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  expect(printed).toBe('connected');
  registerSecret(String(await site.getOption('service_license_key')));
  const siteId = await findSiteId(owner, site.url);
  await writePlugin(site, 'shop', '1.0');
  await site.setActivePlugins([SHOP, STEWARD]);
  await writeFile(join(site.root, 'wp-content/advanced-cache.php'), PAGE_CACHE);
  await site.setConstants({ WP_CACHE: true });
  await site.clearOpcache();
  const loadHome = () => fetch(`${site.url}/`);
  await loadHome();
  expect((await loadHome()).headers.get('x-cache')).toBe('HIT');

  const start = Date.now();
  let seconds = 0;
  const monitor = createMonitor(panel, { now: () => new Date(start + seconds * 1000) });
  onTestFinished(() => monitor.stop());
  const pingAfter = async (more: number) => {
    seconds += more;
    await Promise.all(await monitor.startDue());
    return (await owner.get(`/panel/sites/${siteId}/reachability`)).body.reachability;
  };
  await monitor.trackSites();
  expect(await pingAfter(330)).toMatchObject({ state: 'up' });

  const body = { body: FATAL_FROM_OUTSIDE };
  const offer = { version: '2.0', package: await bed.packages.plugin('shop', '2.0', body) };
  await site.offer({ plugins: { [SHOP]: offer } });
  await owner.post('/panel/sites/sync', { site_ids: [siteId] }, WAIT);
  const { body: run } = await owner.post('/remote/update', { site_ids: [siteId] }, WAIT);
  expect((await site.installedPlugins())[SHOP]).toBe('2.0');
  expect((await loadHome()).status).toBe(200);
  expect(run.results).toMatchObject([{ status: 'unverified', code: 'site_unhealthy' }]);
  expect(run.results[0].error).toContain('The application no longer responds.');
  const [trouble] = await listTroubles(panel.database.db, run.run_id);
  expect(trouble?.troubles).toMatchObject([{ code: 'application_down', signal: 'application' }]);

  await pingAfter(600);
  const down = await pingAfter(30);
  expect(down).toMatchObject({ state: 'down', signal: 'application' });
  expect(down.reason).toContain('The site is down');
});
