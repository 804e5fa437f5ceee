import { readlinkSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

// PHP keeps resolved links for two minutes.
const wordpress = useLicensedSite({
  php: { realpath_cache_size: '0', 'opcache.revalidate_path': '1' },
});
const muFile = () => join(wordpress.site.root, 'wp-content/mu-plugins/steward-watchdog.php');

/** The file that versions before this one have written: it contains the full path of the site. */
const withFullPath = (root: string) =>
  `<?php\nrequire_once '${root}/wp-content/plugins/steward/watchdog/start.php';\n`;

/** Prints the folder of the running watchdog. */
const PRINT_FOLDER = `
  add_action( 'template_redirect', function () {
    $watchdog = new ReflectionClass( 'Steward\\\\Watchdog\\\\State' );
    exit( dirname( $watchdog->getFileName() ) );
  } );`;
const watchdogFolder = async () => (await fetch(`${wordpress.site.url}/`)).text();
const pluginsFolder = (root: string) => join(root, 'wp-content/plugins');

/** Copies the files of another site into this one, as a host does that clones a site on the same server. */
async function copyFilesOfOriginal(): Promise<string> {
  const original = join(wordpress.site.folder, 'original');
  await cp(
    join(pluginsFolder(wordpress.site.root), 'steward'),
    join(original, 'wp-content/plugins/steward'),
    { recursive: true },
  );
  onTestFinished(() => rm(original, { recursive: true }));
  return original;
}

describe('the must-use file', () => {
  it('contains no path of the site, and is written again when an older version has written it', async () => {
    const content = await readFile(muFile(), 'utf8');
    expect(content).not.toContain(wordpress.site.root);
    await writeFile(muFile(), withFullPath(wordpress.site.root));
    await wordpress.site.clearOpcache();
    expect((await fetch(`${wordpress.site.url}/`)).status).toBe(200);
    expect(await readFile(muFile(), 'utf8')).toBe(content);
    await expectQuiet(wordpress.site);
  });

  it('of a copied site loads the watchdog of the copy, also while a plugin is updated', async () => {
    const original = await copyFilesOfOriginal();
    await writeFile(muFile(), withFullPath(original));
    await wordpress.mustUse(PRINT_FOLDER);
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.site.clearOpcache();
    // The first request of the copy still runs the old file, and replaces it.
    expect(await watchdogFolder()).toBe(join(pluginsFolder(original), 'steward/watchdog'));
    await wordpress.site.clearOpcache();
    expect(await watchdogFolder()).toBe(
      join(pluginsFolder(wordpress.site.root), 'steward/watchdog'),
    );
  });

  it('that an older version has written in a copied site does not make a good update fail', async () => {
    await writeFile(muFile(), withFullPath(await copyFilesOfOriginal()));
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.site.clearOpcache();
    const { results } = await wordpress.update([{ type: 'plugin', slug: file, version: '2.0' }]);
    expect(results.plugins).toMatchObject([{ slug: file, new_version: '2.0', success: true }]);
    expect(results.plugins[0]).not.toHaveProperty('verified');
    await expectQuiet(wordpress.site);
  });

  it('loads nothing where the plugin is missing, and follows a renamed plugin folder', async () => {
    const plugins = pluginsFolder(wordpress.site.root);
    onTestFinished(async () => {
      await rm(join(plugins, 'steward'), { recursive: true, force: true });
      await rename(join(plugins, 'steward-1.2'), join(plugins, 'steward'));
      await wordpress.reset();
      expect((await fetch(`${wordpress.site.url}/`)).status).toBe(200);
    });
    await rename(join(plugins, 'steward'), join(plugins, 'steward-1.2'));
    await wordpress.mustUse(PRINT_FOLDER);
    await wordpress.site.setActivePlugins(['steward-1.2/steward.php']);
    await wordpress.site.clearOpcache();
    expect(await watchdogFolder()).toBe(join(plugins, 'steward-1.2/watchdog'));
    expect(await readFile(muFile(), 'utf8')).toContain('steward-1.2/watchdog');
    // A folder with the former name no longer starts the watchdog.
    await cp(join(plugins, 'steward-1.2'), join(plugins, 'steward'), { recursive: true });
    await wordpress.site.clearOpcache();
    expect(await watchdogFolder()).toBe(join(plugins, 'steward-1.2/watchdog'));
    await expectQuiet(wordpress.site);
  });
});

describe('a site whose releases are folders behind a symbolic link', () => {
  it('runs the watchdog of the current release, and updates a plugin', async () => {
    const { root } = wordpress.site;
    const releases = join(wordpress.site.folder, 'releases');
    const [first, second] = [join(releases, '1'), join(releases, '2')];
    await mkdir(releases);
    await rename(root, first);
    await symlink(first, root);
    onTestFinished(async () => {
      const current = readlinkSync(root);
      await rm(root);
      await rename(current, root);
      await rm(releases, { recursive: true });
      await wordpress.reset();
    });
    await run('cp', ['-a', first, second]);
    const print = join(root, 'wp-content/mu-plugins/a-test.php');
    for (const release of [first, second]) {
      await writeFile(join(release, 'wp-content/mu-plugins/a-test.php'), `<?php ${PRINT_FOLDER}`);
    }
    await wordpress.site.clearOpcache();
    expect(await watchdogFolder()).toBe(join(pluginsFolder(first), 'steward/watchdog'));
    await run('ln', ['-sfn', second, root]);
    await wordpress.site.clearOpcache();
    expect(await watchdogFolder()).toBe(join(pluginsFolder(second), 'steward/watchdog'));
    await rm(print);
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const { results } = await wordpress.update([{ type: 'plugin', slug: file, version: '2.0' }]);
    expect(results.plugins).toMatchObject([{ slug: file, new_version: '2.0', success: true }]);
    await expectQuiet(wordpress.site);
  });
});
