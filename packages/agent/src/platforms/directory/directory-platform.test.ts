import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PLUGINS, type Scenario } from '@steward/conformance/site-under-test.ts';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { prepareSiteFolder } from '@steward/testkit/sites/conformance-folder.ts';
import { phpFileHeader, writeZip } from '@steward/testkit/zip.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../test/support/served-site.ts';
import { UpdateRolledBack } from '../../platform.ts';
import { createDirectoryPlatform } from './index.ts';

const scratchFolder = mkdtempSync(join(scratchRoot(), 'steward-directory-'));
afterAll(() => rmSync(scratchFolder, { recursive: true, force: true }));
let siteCount = 0;

async function newSite(scenario: Scenario = { updates: 'good' }) {
  const site = await prepareSiteFolder(join(scratchFolder, String(++siteCount)), scenario);
  const open = (feed = site.feed) => createDirectoryPlatform({ root: site.root, feed });
  const platform = await open();
  await platform.refreshUpdateChecks();
  return { ...site, open, platform };
}

const GOOD = PLUGINS.good.file;

describe('update on disk', () => {
  it('replaces the folder and removes files that the new version lacks', async () => {
    const { root, platform } = await newSite();
    cpSync(join(root, 'plugins/good/good.php'), join(root, 'plugins/good/old.php'));
    await platform.update('plugin', GOOD);
    expect(readdirSync(join(root, 'plugins/good')).toSorted()).toEqual(['good.php', 'more']);
    expect(readdirSync(join(root, '.steward')).toSorted()).toEqual(['lock', 'saved']);
  });

  it('keeps the old folder unchanged when the package has another version', async () => {
    const { root, feed, platform } = await newSite();
    const before = readFileSync(join(root, 'plugins/good/good.php'), 'utf8');
    await writeZip(join(feed, 'good-1.1.zip'), [
      { name: GOOD, content: phpFileHeader('Plugin', 'good', '1.0.5') },
    ]);
    const update = platform.update('plugin', GOOD);
    await expect(update).rejects.toThrow('version 1.0.5 instead of version 1.1');
    await expect(update).rejects.toThrow(UpdateRolledBack);
    expect(readFileSync(join(root, 'plugins/good/good.php'), 'utf8')).toBe(before);
    expect(readdirSync(join(root, '.steward'))).toEqual(['lock']);
  });

  it('keeps the old folder when the package contains another plugin', async () => {
    const { feed, platform } = await newSite();
    await writeZip(join(feed, 'good-1.1.zip'), [
      { name: 'evil/evil.php', content: phpFileHeader('Plugin', 'evil', '1.1') },
    ]);
    const update = platform.update('plugin', GOOD);
    await expect(update).rejects.toThrow();
    // Nothing was installed, so nothing was rolled back.
    await expect(update).rejects.not.toBeInstanceOf(UpdateRolledBack);
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0', active: true });
  });

  it('fetches feed and packages over HTTP, and reports the status on failure', async () => {
    const { feed, open } = await newSite();
    const server = createServer((request, response) => {
      const path = join(feed, request.url?.slice(1) ?? '');
      if (!existsSync(path)) return response.writeHead(404).end();
      response.end(readFileSync(path));
    });
    await listen(server);
    onTestFinished(() => void server.close());
    const platform = await open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await platform.refreshUpdateChecks();
    await platform.update('plugin', GOOD);
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.1' });
    rmSync(join(feed, 'idle-2.0.zip'));
    await expect(platform.update('plugin', PLUGINS.idle.file)).rejects.toThrow('404');
  });

  it('refuses to activate a plugin whose required plugin is inactive', async () => {
    const { platform } = await newSite();
    await platform.deactivatePlugin(PLUGINS.child.file);
    await platform.deactivatePlugin(PLUGINS.parent.file);
    await expect(platform.activatePlugin(PLUGINS.child.file)).rejects.toThrow('parent');
  });

  it('knows that a plugin requires a single-file plugin', async () => {
    const { root, platform } = await newSite();
    writeFileSync(join(root, 'plugins/base.php'), phpFileHeader('Plugin', 'base', '1.0'));
    mkdirSync(join(root, 'plugins/extra'));
    const extra = phpFileHeader('Plugin', 'extra', '1.0', 'base');
    writeFileSync(join(root, 'plugins/extra/extra.php'), extra);
    await platform.activatePlugin('base.php');
    await platform.activatePlugin('extra/extra.php');
    expect(await platform.findDependents('base.php')).toEqual(['extra/extra.php']);
  });
});

describe('saved versions', () => {
  const update = async (site: Awaited<ReturnType<typeof newSite>>, version: string) => {
    const content = phpFileHeader('Plugin', 'good', version);
    await writeZip(join(site.feed, 'good-1.1.zip'), [{ name: GOOD, content }]);
    const offer = { version, package: 'good-1.1.zip' };
    const feed = { plugins: { [GOOD]: offer }, themes: {}, core: null };
    writeFileSync(join(site.feed, 'feed.json'), JSON.stringify(feed));
    await site.platform.refreshUpdateChecks();
    await site.platform.update('plugin', GOOD);
  };
  const readSaved = async ({ platform }: Awaited<ReturnType<typeof newSite>>) =>
    (await platform.inventory()).plugins.find((item) => item.plugin === GOOD)?.saved_versions;
  const folders = (root: string) => readdirSync(join(root, '.steward/saved'));

  it('are the newest two, and survive a restart', async () => {
    const site = await newSite();
    for (const version of ['1.1', '1.2', '1.3']) await update(site, version);
    expect(await readSaved(site)).toEqual(['1.2', '1.1']);
    expect(folders(site.root)).toHaveLength(2);
    mkdirSync(join(site.root, '.steward/saved/killed'));
    const reopened = { ...site, platform: await site.open() };
    expect(await readSaved(reopened)).toEqual(['1.2', '1.1']);
    expect(folders(site.root)).toHaveLength(2);
  });

  it('are deleted with the plugin', async () => {
    const site = await newSite();
    await update(site, '1.1');
    await site.platform.deletePlugin(GOOD);
    expect(folders(site.root)).toEqual([]);
  });

  it('stay when the restored version cannot be used', async () => {
    const site = await newSite();
    await update(site, '1.1');
    const [folder = ''] = folders(site.root);
    writeFileSync(join(site.root, '.steward/saved', folder, 'good.php'), '<?php // no header');
    await expect(site.platform.restore('plugin', GOOD, '1.0')).rejects.toThrow(UpdateRolledBack);
    expect(await site.platform.find('plugin', GOOD)).toMatchObject({ version: '1.1' });
    expect(await readSaved(site)).toEqual(['1.0']);
  });
});

describe('kill during a swap', () => {
  it('rolls back at the next start when the new folder was not verified', async () => {
    const { root, open } = await newSite();
    const swapModule = join(import.meta.dirname, 'swapper.ts');
    const script = `
      import { cpSync } from 'node:fs';
      import { createSwapper } from ${JSON.stringify(swapModule)};
      const live = ${JSON.stringify(join(root, 'plugins/good'))};
      const staged = ${JSON.stringify(join(root, '.steward/staged'))};
      cpSync(live, staged, { recursive: true });
      cpSync(live + '/good.php', staged + '/half.php');
      const root = ${JSON.stringify(root)};
      await createSwapper(root, root + '/.steward').swap(live, staged, {
        verify: () => process.kill(process.pid, 'SIGKILL'),
      });`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    expect(existsSync(join(root, 'plugins/good/half.php'))).toBe(true);

    const platform = await open();
    expect(existsSync(join(root, 'plugins/good/half.php'))).toBe(false);
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0', active: true });
  });

  it('rolls back when the old folder was moved and the new one was not in place', async () => {
    const { root, open } = await newSite();
    renameSync(join(root, 'plugins/good'), join(root, '.steward/previous'));
    writeFileSync(join(root, '.steward/swap.json'), '{"live":"plugins/good"}');
    const platform = await open();
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0', active: true });
    expect(existsSync(join(root, '.steward/swap.json'))).toBe(false);
  });

  it('rolls back after the site folder was moved', async () => {
    const { root, feed } = await newSite();
    renameSync(join(root, 'plugins/good'), join(root, '.steward/previous'));
    writeFileSync(join(root, '.steward/swap.json'), '{"live":"plugins/good"}');
    renameSync(root, `${root}-moved`);
    const platform = await createDirectoryPlatform({ root: `${root}-moved`, feed });
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0' });
  });

  it('ignores a partially written journal', async () => {
    const { root, open } = await newSite();
    writeFileSync(join(root, '.steward/swap.json.draft'), '');
    const platform = await open();
    await platform.update('plugin', GOOD);
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.1' });
  });

  it('reports when the live folder and its backup are both missing, and keeps the journal', async () => {
    const { root, open } = await newSite();
    rmSync(join(root, 'plugins/good'), { recursive: true });
    writeFileSync(join(root, '.steward/swap.json'), '{"live":"plugins/good"}');
    await expect(open()).rejects.toThrow('was lost during an update');
    expect(existsSync(join(root, '.steward/swap.json'))).toBe(true);
  });
});

describe('second agent on one folder', () => {
  it('is refused while the first agent runs: it would roll back a running update of the first', async () => {
    const { root, open } = await newSite();
    const holder = spawn('sleep', ['60']);
    onTestFinished(() => void holder.kill());
    const stat = readFileSync(`/proc/${holder.pid}/stat`, 'utf8');
    const started = stat.split(') ').at(-1)?.split(' ')[19];
    writeFileSync(join(root, '.steward/lock'), `${holder.pid} ${started}\n`);
    await expect(open()).rejects.toThrow(`Process ${holder.pid} is already managing this site`);
    // A different start time means that the process id was reused.
    writeFileSync(join(root, '.steward/lock'), `${holder.pid} 1\n`);
    expect(await (await open()).find('plugin', GOOD)).toMatchObject({ version: '1.0' });
  });
});

describe('site folder', () => {
  it('skips broken links, empty folders and invalid headers', async () => {
    const { root, platform } = await newSite();
    symlinkSync('loop.php', join(root, 'plugins/loop.php'));
    symlinkSync('/etc/hostname', join(root, 'plugins/hostname'));
    symlinkSync('nowhere', join(root, 'plugins/nowhere'));
    mkdirSync(join(root, 'plugins/empty'));
    writeFileSync(join(root, 'plugins/long.php'), phpFileHeader('Plugin', 'long', '1'.repeat(65)));
    const { plugins } = await platform.inventory();
    expect(plugins.map(({ plugin }) => plugin).toSorted()).toEqual(
      Object.values(PLUGINS)
        .map(({ file }) => file)
        .toSorted(),
    );
    expect(await platform.find('plugin', `${'a'.repeat(300)}.php`)).toBeNull();
  });

  it('is refused when it does not exist', async () => {
    await expect(
      createDirectoryPlatform({ root: join(scratchFolder, 'nowhere'), feed: scratchFolder }),
    ).rejects.toThrow('is not a folder');
  });
});

describe('feed', () => {
  it('does not offer an older version as an update', async () => {
    const { feed, platform } = await newSite();
    const offers = {
      plugins: { [GOOD]: { version: '0.5', package: 'x.zip' } },
      themes: {},
      core: null,
    };
    writeFileSync(join(feed, 'feed.json'), JSON.stringify(offers));
    await platform.refreshUpdateChecks();
    expect(await platform.find('plugin', GOOD)).toMatchObject({ newVersion: undefined });
  });

  for (const name of [
    '../outside.zip',
    '/etc/passwd',
    'https://evil.example/x.zip',
    '',
    '.hidden',
  ]) {
    it(`is refused when it names the package ${JSON.stringify(name)}`, async () => {
      const { feed, platform } = await newSite();
      const offers = {
        plugins: { [GOOD]: { version: '2', package: name } },
        themes: {},
        core: null,
      };
      writeFileSync(join(feed, 'feed.json'), JSON.stringify(offers));
      await expect(platform.refreshUpdateChecks()).rejects.toThrow(
        'does not have the expected format',
      );
    });
  }

  it('fails an update with a damaged file in an otherwise valid package', async () => {
    const { feed, platform } = await newSite();
    const zip = join(feed, 'good-1.1.zip');
    await writeZip(zip, [
      { name: GOOD, content: phpFileHeader('Plugin', 'good', '1.1') },
      { name: 'good/lib.php', content: 'SAFE', compress: false },
    ]);
    const bytes = readFileSync(zip);
    bytes.write('EVIL', bytes.indexOf('SAFE'));
    writeFileSync(zip, bytes);
    await expect(platform.update('plugin', GOOD)).rejects.toThrow('damaged: its file good/lib.php');
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0' });
  });
});
