import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

const wordpress = useLicensedSite();

type Delivered = { path: string; status: number; body: string };

const OWN_FOLDER = /^\.?steward-(?!saved-)[0-9a-f]+$/;

/** Requests every file of the state folders, and the files that tell their names, while the swapped plugin is in place. */
const REQUEST_ALL = `
add_filter( 'upgrader_post_install', function ( $result ) {
	Steward\\Watchdog\\Ticket::issue( 1, [ WP_PLUGIN_DIR . '/shop' ], admin_url() );
	$files = [ ABSPATH . '.maintenance' ];
	foreach ( array_merge( glob( WP_CONTENT_DIR . '/steward-*' ), glob( WP_PLUGIN_DIR . '/.steward-*' ), [ WPMU_PLUGIN_DIR ] ) as $path ) {
		$files = array_merge( $files, iterator_to_array( Steward\\Watchdog\\Files::list_files( $path ), false ) );
	}
	$delivered = [];
	foreach ( $files as $file ) {
		$path        = substr( $file, strlen( ABSPATH ) - 1 );
		$response    = wp_remote_get( untrailingslashit( site_url() ) . $path, [ 'redirection' => 0 ] );
		$delivered[] = [
			'path'   => $path,
			'status' => (int) wp_remote_retrieve_response_code( $response ),
			'body'   => wp_remote_retrieve_body( $response ),
		];
	}
	file_put_contents( dirname( ABSPATH ) . '/delivered.json', wp_json_encode( $delivered ) );
	return $result;
} );`;

async function requestAll(): Promise<Delivered[]> {
  const { root, url } = wordpress.site;
  const content = join(root, 'wp-content');
  const files = [join(content, 'steward-state.php')];
  for (const name of await listOwnFolders()) {
    const folder = join(content, name);
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
    }
  }
  return Promise.all(
    files.map(async (file) => {
      const path = `/${relative(root, file)}`;
      const response = await fetch(url + path, { redirect: 'manual' });
      return { path, status: response.status, body: await response.text() };
    }),
  );
}

const listOwnFolders = async () =>
  (await readdir(join(wordpress.site.root, 'wp-content'))).filter((name) => OWN_FOLDER.test(name));

function expectNothingOfUse(delivered: Delivered[], folder: string) {
  for (const { path, body } of delivered) {
    expect(body, path).not.toContain(wordpress.site.root);
    expect(body, path).not.toContain(folder);
    expect(body, path).not.toContain('wp-content');
    expect(body, path).not.toMatch(/"(secret|call|until|backup|version)"/);
  }
}

describe('during an update, a web server without .htaccess', () => {
  let delivered: Delivered[];
  let folder: string;
  beforeEach(async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.mustUse(REQUEST_ALL);
    expect((await wordpress.update()).success).toBe(true);
    folder = (await listOwnFolders())[0] ?? '';
    delivered = JSON.parse(await readFile(join(wordpress.site.root, '../delivered.json'), 'utf8'));
  });

  it('delivers a .maintenance file that tells neither the path of the site nor the state folder', () => {
    const [maintenance] = delivered;
    expect(maintenance).toMatchObject({ path: '/.maintenance', status: 200 });
    expect(maintenance?.body).toContain('$upgrading');
    expectNothingOfUse([maintenance as Delivered].map(withoutConstants), folder);
  });

  it('delivers nothing of use from the state folder', async () => {
    const names = delivered.map(({ path }) => path.split('/').at(-1));
    expect(names).toEqual(expect.arrayContaining(['lock', 'index.php', 'shop.php']));
    expect(names).toContainEqual(expect.stringMatching(/^in-flight\./));
    expect(names).toContainEqual(expect.stringMatching(/^check-/));
    expectNothingOfUse(delivered.map(withoutConstants), folder);
    const afterwards = await requestAll();
    expect(afterwards.map(({ path }) => path.split('/').at(-1))).toEqual(
      expect.arrayContaining(['steward-state.php', 'lock']),
    );
    expectNothingOfUse(afterwards, folder);
  });
});

/** The names of constants are no secret. */
const withoutConstants = (file: Delivered) => ({
  ...file,
  body: file.body.replaceAll('WP_CONTENT_DIR', ''),
});

it('the .maintenance file finds the watchdog in moved folders and admits the health check', async () => {
  const { site } = wordpress;
  await wordpress.plugin('shop');
  await wordpress.offerPlugin('shop');
  const folders = { plugins: 'modules', 'mu-plugins': 'always' };
  const move = async (isBack: boolean) => {
    for (const [from, to] of Object.entries(folders)) {
      const paths = [join(site.root, 'wp-content', from), join(site.root, to)] as const;
      await (isBack ? rename(paths[1], paths[0]) : rename(...paths));
    }
    await site.setConstants(
      isBack
        ? {}
        : {
            WP_PLUGIN_DIR: join(site.root, folders.plugins),
            WPMU_PLUGIN_DIR: join(site.root, folders['mu-plugins']),
          },
    );
    await site.clearOpcache();
  };
  onTestFinished(() => move(true));
  await move(false);
  const { results, errors } = await wordpress.update();
  expect(errors).toEqual([]);
  expect(results.plugins).toMatchObject([{ slug: 'shop/shop.php', new_version: '2.0' }]);
  expect(results.plugins[0]?.verified, JSON.stringify(results)).not.toBe(false);
  const main = await readFile(join(site.root, folders.plugins, 'shop/shop.php'), 'utf8');
  expect(main).toContain('2.0');
});

it('the name of the state folder is random: the keys of the site do not give it', async () => {
  const read = async () => {
    await wordpress.call('sync');
    return wordpress.stateFolder();
  };
  const first = await read();
  expect(first).toMatch(/\/steward-[0-9a-f]{32}$/);
  // A site with the same keys in the same place: the plugin is installed again.
  await wordpress.site.runPhp('Steward\\Updating\\State_Folder::delete_all();');
  expect(existsSync(first)).toBe(false);
  const second = await read();
  expect(second).toMatch(/\/steward-[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
});

// The last test: it ends the license of the site.
it('deleting the plugin deletes the state folders, also of older versions, and their name', async () => {
  const content = join(wordpress.site.root, 'wp-content');
  const older = `steward-${'0'.repeat(16)}`;
  const paths = [join(content, older), join(content, `plugins/.${older}`)];
  for (const path of paths) await mkdir(path);
  await wordpress.call('sync');
  paths.push(await wordpress.stateFolder(), join(content, 'steward-state.php'));
  expect(paths.map((path) => existsSync(path))).toEqual([true, true, true, true]);
  await wordpress.site.runPhp(
    "define( 'WP_UNINSTALL_PLUGIN', 'steward/steward.php' ); require WP_PLUGIN_DIR . '/steward/uninstall.php';",
  );
  expect(paths.map((path) => existsSync(path))).toEqual([false, false, false, false]);
});
