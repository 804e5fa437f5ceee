import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { findComplaints } from './support/debug-log.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const DISABLED = [
  ['exec', 'passthru', 'shell_exec', 'system', 'proc_open', 'popen', 'posix_kill', 'getmypid'],
  ['set_time_limit', 'gethostname', 'disk_free_space'],
  ['opcache_get_status', 'opcache_invalidate'],
].flat();

describe('host with disabled PHP functions', () => {
  const wordpress = useUpdatedSite({
    php: { disable_functions: DISABLED.join(','), max_execution_time: '10' },
  });

  it('verifies an update without PHP warnings', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const { body } = await wordpress.act('update', file);
    const checked = { pages_planned: 7, pages_compared: 7 };
    expect(body).toEqual({ success: true, action: 'update', plugin: file, checked });
    const complaints = findComplaints(await wordpress.site.debugLog());
    // Before PHP 8, WordPress's call of a disabled function logs a warning.
    expect(complaints.filter((line) => !line.includes('set_time_limit() has been'))).toEqual([]);
  });

  it('rolls back a version that breaks a page, with the reason', async () => {
    const file = await wordpress.plugin('store');
    await wordpress.offerPlugin('store', {
      body: `add_action( 'wp_footer', function () { ${FATAL} } );`,
    });
    const { body } = await wordpress.act('update', file);
    expect(body.error).toMatch(/home page: .*this_function.* Rolled back to version 1\.0\.$/);
  });
});

describe('host with wp-content as a symbolic link', () => {
  const wordpress = useUpdatedSite();
  beforeAll(async () => {
    const content = join(wordpress.site.root, 'wp-content');
    const elsewhere = join(wordpress.site.folder, 'elsewhere');
    await rename(content, elsewhere);
    await symlink(elsewhere, content);
    await wordpress.site.clearOpcache();
  });

  it('rolls back a fatal version and names the file by its path in the site', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    expect((await wordpress.act('update', file)).body.error).toMatch(
      / in wp-content\/plugins\/shop\/shop\.php:\d+\. Rolled back to version 1\.0\.$/,
    );
    await wordpress.offerPlugin('shop');
    expect((await wordpress.act('update', file)).status).toBe(200);
  });

  it('names the plugin that breaks every request', async () => {
    await wordpress.plugin('broken', { body: FATAL });
    const { body } = await wordpress.call('sync');
    expect(body).toMatchObject({ code: 'site_down' });
    expect(body.error).toMatch(/a PHP error in the plugin broken ends every request/);
    await wordpress.reset();
  });

  it('refuses to deactivate the Steward plugin', async () => {
    expect((await wordpress.act('deactivate', STEWARD)).status).toBe(403);
  });
});
