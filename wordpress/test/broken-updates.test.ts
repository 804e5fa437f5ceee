import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { describe, expect, it } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useUpdatedSite();

describe('new version with a fatal error', () => {
  it('is rolled back with its reason, and the site works', async () => {
    await wordpress.plugin('alpha');
    await wordpress.offerPlugin('alpha');
    await wordpress.plugin('deadly', { body: "define( 'DEADLY', 1 );" });
    await wordpress.offerPlugin('deadly', { body: FATAL });
    const { success, results } = await wordpress.update();
    expect(success).toBe(false);
    expect(results.plugins).toEqual([
      {
        slug: 'alpha/alpha.php',
        name: 'alpha',
        old_version: '1.0',
        new_version: '2.0',
        success: true,
      },
      {
        slug: 'deadly/deadly.php',
        name: 'deadly',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        rolled_back: true,
        error: expect.stringMatching(
          /2\.0 breaks the site: .*this_function_does_not_exist.* Rolled back to version 1\.0/,
        ),
      },
    ]);
    const { plugins, active } = await wordpress.readInstalled();
    expect(plugins['deadly/deadly.php']).toBe('1.0');
    expect(active).toContain('deadly/deadly.php');
    expect(await wordpress.status('/wp-login.php')).toBe(200);
    expect((await wordpress.call('sync')).status).toBe(200);
  });

  it('is detected when it fails only in the admin area', async () => {
    const file = await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', { body: `if ( is_admin() ) { ${FATAL} }` });
    const response = await wordpress.act('update', file);
    expect(response).toMatchObject({ status: 500, body: { code: 'action_failed' } });
    expect(await wordpress.status('/wp-login.php')).toBe(200);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
  });

  it('is detected when it has a syntax error', async () => {
    const file = await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', { body: 'function {' });
    expect((await wordpress.act('update', file)).body.error).toMatch(/syntax error/);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
  });

  it('is kept when the plugin is inactive', async () => {
    const file = await wordpress.plugin('deadly', { active: false });
    await wordpress.offerPlugin('deadly', { body: FATAL });
    expect((await wordpress.act('update', file)).status).toBe(200);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
  });

  for (const [where, body] of [
    [
      'the REST API, without which the panel could not repair the site',
      "add_action( 'rest_api_init', function () { no_such_function(); } );",
    ],
    ['admin pages', "add_action( 'admin_init', function () { no_such_function(); } );"],
  ] as const) {
    it(`is detected in ${where}`, async () => {
      const file = await wordpress.plugin('deadly');
      await wordpress.offerPlugin('deadly', { body });
      expect((await wordpress.act('update', file)).body.error).toMatch(/no_such_function/);
      expect((await wordpress.call('sync')).status).toBe(200);
    });
  }

  // Before PHP 8, a hook with a missing function only logs a warning.
  it('is detected when a hook has no function, if PHP treats that as fatal', async () => {
    const file = await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', { body: "add_action( 'admin_init', 'no_such' );" });
    const { status, body } = await wordpress.act('update', file);
    const isFatal = Number(await run('php', ['-r', 'echo PHP_MAJOR_VERSION;'])) >= 8;
    expect(status).toBe(isFatal ? 500 : 200);
    if (isFatal) expect(body.error).toMatch(/no_such/);
  });

  it('is detected when the home page redirects', async () => {
    await wordpress.mustUse(
      `add_action( 'template_redirect', function () {
        if ( '/' === strtok( $_SERVER['REQUEST_URI'], '?' ) ) { wp_redirect( wp_login_url() ); exit; }
      }, 1 );`,
    );
    const file = await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', {
      body: `if ( ! is_admin() ) { add_action( 'wp', function () { ${FATAL} } ); }`,
    });
    expect((await wordpress.act('update', file)).body.error).toMatch(/this_function_does_not/);
  });

  it('is rolled back when pages hang', async () => {
    await wordpress.mustUse(
      "add_filter( 'steward_health_check_timeout', function () { return 1; } );",
    );
    const file = await wordpress.plugin('slow');
    await wordpress.offerPlugin('slow', {
      body: 'if ( defined( "DONOTCACHEPAGE" ) ) { sleep( 2 ); }',
    });
    expect((await wordpress.act('update', file)).body.error).toMatch(/no response/);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
  });

  it('is rolled back for a theme', async () => {
    await wordpress.theme('plain', { body: '' });
    await wordpress.offerTheme('plain', { body: FATAL });
    const { results } = await wordpress.update();
    expect(results.themes).toEqual([
      {
        slug: 'plain',
        name: 'plain',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        rolled_back: true,
        error: expect.stringContaining('this_function_does_not_exist'),
      },
    ]);
    expect((await wordpress.readInstalled()).themes.plain).toBe('1.0');
  });

  it('is detected when the request cannot invalidate opcache', async () => {
    // Simulates a request that started while opcache was about to be reset.
    await wordpress.mustUse(
      `ini_set( 'opcache.revalidate_freq', '4' );
      if ( strpos( $_SERVER['REQUEST_URI'], 'remote/update' ) ) { ini_set( 'opcache.enable', '0' ); }`,
    );
    await wordpress.theme('plain', { body: '' });
    // opcache does not cache files younger than two seconds.
    const functions = join(wordpress.site.root, 'wp-content/themes/plain/functions.php');
    await utimes(functions, new Date('2024-01-01'), new Date('2024-01-01'));
    await wordpress.offerTheme('plain', { body: FATAL });
    const { results } = await wordpress.update();
    expect(results.themes[0]?.error).toContain('this_function_does_not_exist');
    expect((await wordpress.readInstalled()).themes.plain).toBe('1.0');
    expect(await wordpress.status('/')).toBe(200);
  });
});
