import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLUGINS, type Scenario } from '@steward/conformance/site-under-test.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDirectoryPlatform } from '../src/platforms/directory/index.ts';
import { createSwapper } from '../src/platforms/directory/swap.ts';
import { listen } from './support/served-site.ts';
import { prepareSiteFolder } from './support/site-folder.ts';
import { header, writeZip } from './support/zip.ts';

const folders = mkdtempSync(join(tmpdir(), 'steward-directory-'));
afterAll(() => rmSync(folders, { recursive: true, force: true }));
let count = 0;

async function newSite(scenario: Scenario = { updates: 'good' }) {
  const site = await prepareSiteFolder(join(folders, String(++count)), scenario);
  const open = (feed = site.feed) => createDirectoryPlatform({ root: site.root, feed });
  const platform = await open();
  await platform.refreshUpdateChecks();
  return { ...site, open, platform };
}

const GOOD = PLUGINS.good.file;

describe('an update on disk', () => {
  it('replaces the folder: what the new version no longer has is gone', async () => {
    const { root, platform } = await newSite();
    cpSync(join(root, 'plugins/good/good.php'), join(root, 'plugins/good/old.php'));
    await platform.update('plugin', GOOD);
    expect(readdirSync(join(root, 'plugins/good')).toSorted()).toEqual(['good.php', 'more']);
    expect(readdirSync(join(root, '.steward'))).toEqual([]);
  });

  it('leaves the old folder byte for byte when the package is of another version', async () => {
    const { root, feed, platform } = await newSite();
    const before = readFileSync(join(root, 'plugins/good/good.php'), 'utf8');
    await writeZip(join(feed, 'good-1.1.zip'), [
      { name: GOOD, content: header('Plugin', 'good', '1.0.5') },
    ]);
    await expect(platform.update('plugin', GOOD)).rejects.toThrow(
      'version 1.0.5 instead of version 1.1',
    );
    expect(readFileSync(join(root, 'plugins/good/good.php'), 'utf8')).toBe(before);
    expect(readdirSync(join(root, '.steward'))).toEqual([]);
  });

  it('leaves it in place when the package is of another plugin', async () => {
    const { feed, platform } = await newSite();
    await writeZip(join(feed, 'good-1.1.zip'), [
      { name: 'evil/evil.php', content: header('Plugin', 'evil', '1.1') },
    ]);
    await expect(platform.update('plugin', GOOD)).rejects.toThrow();
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0', active: true });
  });

  it('fetches feed and packages over HTTP, and says when it cannot', async () => {
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

  it('does not activate a plugin whose requirement is not active', async () => {
    const { platform } = await newSite();
    await platform.deactivatePlugin(PLUGINS.child.file);
    await platform.deactivatePlugin(PLUGINS.parent.file);
    await expect(platform.activatePlugin(PLUGINS.child.file)).rejects.toThrow('parent');
  });
});

describe('a kill in the middle of a swap', () => {
  it('is taken back by whoever comes next, when the new folder was not yet confirmed', async () => {
    const { root, open } = await newSite();
    const swapModule = join(import.meta.dirname, '../src/platforms/directory/swap.ts');
    const script = `
      import { cpSync } from 'node:fs';
      import { createSwapper } from ${JSON.stringify(swapModule)};
      const live = ${JSON.stringify(join(root, 'plugins/good'))};
      const staged = ${JSON.stringify(join(root, '.steward/staged'))};
      cpSync(live, staged, { recursive: true });
      cpSync(live + '/good.php', staged + '/half.php');
      await createSwapper(${JSON.stringify(join(root, '.steward'))}).swap(live, staged, () => {
        process.kill(process.pid, 'SIGKILL');
      });`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    expect(existsSync(join(root, 'plugins/good/half.php'))).toBe(true);

    const platform = await open();
    expect(existsSync(join(root, 'plugins/good/half.php'))).toBe(false);
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0', active: true });
  });

  it('is taken back when the old folder was already away and the new one not there', async () => {
    const { root, open } = await newSite();
    const swapper = createSwapper(join(root, '.steward'));
    const live = join(root, 'plugins/good');
    await expect(swapper.swap(live, join(root, 'nowhere'), async () => {})).rejects.toThrow();
    expect(existsSync(join(live, 'good.php'))).toBe(true);
    const platform = await open();
    expect(await platform.find('plugin', GOOD)).toMatchObject({ version: '1.0' });
  });
});
