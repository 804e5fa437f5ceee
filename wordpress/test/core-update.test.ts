import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const wordpress = useLicensedSite();

beforeEach(async () => {
  await wordpress.site.setCoreVersion('6.0');
  await wordpress.offerCore('6.1');
});

const page = async (path = '/') => (await fetch(wordpress.site.url + path)).status;
const isInMaintenance = () => existsSync(join(wordpress.site.root, '.maintenance'));

describe('core update', () => {
  it('upgrades the database and keeps plugins, themes and pages working', async () => {
    await wordpress.plugin('shop');
    const current = String(await wordpress.site.getOption('db_version'));
    await wordpress.site.setOption('db_version', '51917');
    const { success, results, errors } = await wordpress.update();
    expect([success, results.core, errors]).toEqual([
      true,
      { old_version: '6.0', new_version: '6.1', success: true },
      [],
    ]);
    expect(await wordpress.site.getOption('db_version')).toBe(current);
    expect(await wordpress.site.coreVersion()).toBe('6.1');
    expect((await wordpress.readInstalled()).active).toEqual(['shop/shop.php']);
    expect([await page(), await page('/wp-login.php'), isInMaintenance()]).toEqual([
      200,
      200,
      false,
    ]);
    const { inventory } = await wordpress.site.lastReport();
    expect(inventory?.core).toEqual({ version: '6.1' });
    await expectQuiet(wordpress.site);
  });

  it('fails with instructions when the database upgrade fails', async () => {
    await wordpress.mustUse(
      `add_filter( 'pre_http_request', function ( $response, $request, $url ) {
        return strpos( $url, 'upgrade.php' ) ? new WP_Error( 'no', 'No loopback here.' ) : $response;
      }, 20, 3 );`,
    );
    const current = String(await wordpress.site.getOption('db_version'));
    await wordpress.site.setOption('db_version', '51917');
    const { success, results, errors } = await wordpress.update();
    expect([success, results.core]).toMatchObject([false, { new_version: '6.1', success: false }]);
    expect(errors).toEqual([
      { type: 'core', slug: null, error: expect.stringContaining('upgrade.php') },
    ]);
    await wordpress.site.setOption('db_version', current);
  });

  it('changes nothing and ends maintenance mode when the package cannot be unpacked', async () => {
    const address = await wordpress.bed.packages.corePackage('6.2');
    await writeFile(join(wordpress.bed.folder, basename(address)), 'no zip');
    await wordpress.site.offer({ core: { version: '6.2', package: address } });
    await wordpress.site.storeUpdateTransients();
    const { results, errors } = await wordpress.update();
    expect(results.core).toEqual({
      ...{ old_version: '6.0', new_version: '6.0', success: false },
      code: 'package_rejected',
    });
    expect(errors).toEqual([{ type: 'core', slug: null, error: expect.stringMatching(/\S/) }]);
    expect([await wordpress.site.coreVersion(), await page(), isInMaintenance()]).toEqual([
      '6.0',
      200,
      false,
    ]);
    await expectQuiet(wordpress.site);
  });

  it('does not start while another core update runs', async () => {
    await wordpress.site.setOption('core_updater.lock', String(Math.floor(Date.now() / 1000)));
    const update = async () => (await wordpress.update()).results.core;
    expect(await update()).toMatchObject({ new_version: '6.0', success: false });
    await wordpress.site.deleteOption('core_updater.lock');
    expect(await update()).toMatchObject({ new_version: '6.1', success: true });
  });
});
