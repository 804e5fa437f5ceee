import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const wordpress = useLicensedSite();
const DAY_SECONDS = 24 * 60 * 60;
const nowSeconds = () => Math.floor(Date.now() / 1000);

const checkIn = () => wordpress.site.runPhp("do_action( 'steward_check_in' );");
const state = async () =>
  (await wordpress.site.getOption('steward_state')) as Record<string, unknown>;
const php = async (code: string) =>
  JSON.parse(await wordpress.site.runPhp(`echo wp_json_encode( ${code} );`));
const isLicensed = (): Promise<boolean> => php('Steward\\Connection::is_licensed()');
const nextCheckIn = async () =>
  (await php("wp_next_scheduled( 'steward_check_in' )")) - nowSeconds();

/** Starts a fake panel that sends the same response to every call. */
async function startBrokenPanel(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('check-in', () => {
  it('sends versions and inventory, and follows the interval that the panel sets', async () => {
    await wordpress.site.connect();
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await checkIn();
    const { licenseId, license, siteRow } = wordpress.panel;
    const [activation] = (await license('show', String(licenseId))).activations;
    expect(activation).toMatchObject({
      plugin_version: '0.1.0',
      cms_version: await wordpress.site.coreVersion(),
      last_check_at: expect.any(String),
    });
    const { inventory } = await siteRow(wordpress.site.siteId);
    const shop = inventory?.plugins.find(({ plugin }) => plugin === 'shop/shop.php');
    expect(shop).toMatchObject({ version: '1.0', new_version: '2.0', active: true });
    expect(shop).not.toHaveProperty('auto_update');
    const seconds = await nextCheckIn();
    expect(seconds).toBeGreaterThan(10 * 3600);
    expect(seconds).toBeLessThan(27 * 3600);
    expect(await isLicensed()).toBe(true);
    await expectQuiet(wordpress.site);
  });

  it('reports which plugins WordPress updates by itself', async () => {
    await wordpress.site.connect();
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    // The test sites disable automatic updates with a constant; the filter enables them again.
    const report = (plugins: string, isDisabled: boolean) =>
      php(`( static function () {
        add_filter( 'automatic_updater_disabled', '__return_${isDisabled}' );
        update_site_option( 'auto_update_plugins', ${plugins} );
        $items = array_column( \\Steward\\Panel\\Inventory::collect()['plugins'], null, 'plugin' );
        return $items['shop/shop.php']['auto_update'] ?? null;
      } )()`);
    expect(await report("[ 'shop/shop.php' ]", false)).toBe(true);
    expect(await report("[ 'shop/shop.php' ]", true)).toBeNull();
    expect(await report('[]', false)).toBeNull();
  });

  it('is scheduled again when the cron event is lost, but not while disconnected', async () => {
    await wordpress.site.connect();
    await wordpress.site.runPhp("wp_clear_scheduled_hook( 'steward_check_in' );");
    await fetch(wordpress.site.url);
    const seconds = await nextCheckIn();
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(3600);
    await wordpress.site.connect({ licenseKey: '' });
    await fetch(wordpress.site.url);
    expect(await php("wp_next_scheduled( 'steward_check_in' )")).toBe(false);
  });

  it('follows within minutes when the plugin was updated, once for each build', async () => {
    await wordpress.site.connect();
    await checkIn();
    const build = (await state()).checked_in_build;
    expect(build).toMatch(/^0\.1\.0 .*update\.items/);
    expect(await nextCheckIn()).toBeGreaterThan(3600);
    // The state of a plugin that knew fewer extensions.
    await wordpress.site.setOption('steward_state', {
      ...(await state()),
      checked_in_build: '0.1.0 result_details',
    } as never);
    await fetch(wordpress.site.url);
    const seconds = await nextCheckIn();
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(300);
    expect((await state()).checked_in_build).toBe(build);
    // A check-in that the panel refuses is not repeated at every request.
    await wordpress.panel.license('suspend', String(wordpress.panel.licenseId));
    await checkIn();
    await fetch(wordpress.site.url);
    expect(await nextCheckIn()).toBeGreaterThan(3600);
    await wordpress.panel.license('resume', String(wordpress.panel.licenseId));
  });

  it('stores the verdict of the panel: suspended, resumed', async () => {
    const { licenseId, license } = wordpress.panel;
    await wordpress.site.connect();
    await checkIn();
    await license('suspend', String(licenseId));
    await checkIn();
    expect(await isLicensed()).toBe(false);
    expect((await state()).refusal).toMatch(/suspended/);
    expect(await nextCheckIn()).toBeGreaterThan(6 * 3600);
    await license('resume', String(licenseId));
    await checkIn();
    expect(await isLicensed()).toBe(true);
  });

  for (const [response, status, body] of [
    ['a 500', 500, '{"success":false,"error":"Oh.","code":"internal_error"}'],
    ['a 503', 503, '{"success":false,"error":"Later.","code":"unavailable"}'],
    ['a 429', 429, '{"success":false,"error":"Later.","code":"rate_limited"}'],
    ['an HTML page with 200', 200, '<html>Domain for sale</html>'],
    ['an HTML page with 404', 404, '<html>Not found</html>'],
    ['JSON of another shape', 200, '{"success":true}'],
  ] as const) {
    it(`keeps the last verdict and retries soon after ${response}`, async () => {
      await wordpress.site.connect();
      await checkIn();
      await wordpress.site.setOption('service_panel_url', await startBrokenPanel(status, body));
      await checkIn();
      expect(await isLicensed()).toBe(true);
      expect(await nextCheckIn()).toBeLessThanOrEqual(30 * 60);
      await expectQuiet(wordpress.site);
    });
  }

  it('trusts the last verdict for 14 days', async () => {
    await wordpress.site.connect();
    await checkIn();
    await wordpress.site.setOption('service_panel_url', 'http://127.0.0.1:1');
    for (const [days, expected] of [
      [13.9, true],
      [14.1, false],
    ] as const) {
      const confirmed_at = nowSeconds() - Math.round(days * DAY_SECONDS);
      await wordpress.site.setOption('steward_state', {
        ...(await state()),
        confirmed_at,
      } as never);
      await checkIn();
      expect([days, await isLicensed()]).toEqual([days, expected]);
    }
  });

  it('does not enable Remote again when a user disabled it during the call', async () => {
    const response = {
      success: true,
      license: {},
      activation: {},
      enabled_services: ['remote'],
      next_check_in: 40_000,
    };
    let onRequest = () => {};
    const requested = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    let respond = () => {};
    const server = createServer((_, outgoing) => {
      respond = () => outgoing.end(JSON.stringify(response));
      onRequest();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    await wordpress.site.connect({
      panelUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    const sync = wordpress.call('sync');
    await requested;
    await wordpress.site.runPhp('Steward\\Connection::switch_remote( false );');
    respond();
    expect((await sync).status).toBe(200);
    expect((await wordpress.call('sync')).body.code).toBe('remote_disabled');
    await wordpress.site.runPhp('Steward\\Connection::switch_remote( true );');
  });

  it('does not follow redirects, so that the key goes only to the configured panel', async () => {
    let requestCount = 0;
    const other = createServer((_, response) => {
      requestCount++;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const redirecting = createServer((_, response) =>
      response.writeHead(307, { location: target }).end(),
    );
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void redirecting.close());
    await wordpress.site.connect({
      panelUrl: `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`,
    });
    await checkIn();
    expect(requestCount).toBe(0);
  });
});
