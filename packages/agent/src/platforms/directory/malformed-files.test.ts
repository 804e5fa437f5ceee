import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '@steward/testkit/free-port.ts';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openFeed } from './feed.ts';
import { readHeaders } from './headers.ts';
import { acquireLock, describeProcess } from './site-lock.ts';
import { openStateFile } from './state-file.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(scratchRoot(), 'steward-malformed-files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('state file', () => {
  it('is empty when the file is missing, and throws when the file is damaged', async () => {
    const file = openStateFile(join(folder, 'none.json'));
    expect(await file.read()).toMatchObject({ active_plugins: [], active_theme: null });
    writeFileSync(join(folder, 'damaged.json'), '{"active_plugins": [');
    await expect(openStateFile(join(folder, 'damaged.json')).read()).rejects.toThrow(SyntaxError);
  });
});

describe('update feed', () => {
  it('refuses a malformed feed and an oversized package', async () => {
    writeFileSync(join(folder, 'feed.json'), '{"plugins": []}');
    writeFileSync(join(folder, 'large.zip'), 'x'.repeat(11));
    const feed = openFeed(folder, 10);
    await expect(feed.read()).rejects.toThrow('does not have the expected format');
    await expect(feed.fetchPackage('large.zip', join(folder, 'x'))).rejects.toThrow('larger than');
    writeFileSync(join(folder, 'feed.json'), '{');
    await expect(feed.read()).rejects.toThrow('does not have the expected format');
  });

  it('names a missing file without its path', async () => {
    const feed = openFeed(join(folder, 'nowhere'), 10);
    const message = (file: string) =>
      new RegExp(`^Could not fetch ${file}: the file does not exist\\. Check --feed`);
    await expect(feed.read()).rejects.toThrow(message('feed.json'));
    await expect(feed.fetchPackage('shop.zip', join(folder, 'x'))).rejects.toThrow(
      message('shop.zip'),
    );
  });

  it('explains an interrupted download', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy());
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const feed = openFeed(`http://127.0.0.1:${port}`, 10);
    const message = /^Could not fetch \S+: the transfer failed or was interrupted\./;
    await expect(feed.read()).rejects.toThrow(message);
    await expect(feed.fetchPackage('shop.zip', join(folder, 'x'))).rejects.toThrow(message);
  });

  it('explains a server that does not respond', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    await expect(openFeed(url, 10).read()).rejects.toThrow(
      'Could not fetch feed.json: the transfer failed or was interrupted. Check --feed.',
    );
  });

  it('is fetched from its URL and names the file that could not be fetched', async () => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    for (const ending of ['', '/']) {
      const feed = openFeed(`http://127.0.0.1:${port}/updates${ending}`, 10);
      await expect(feed.read()).rejects.toThrow('Could not fetch feed.json: status 404.');
    }
    expect(paths).toEqual(['/updates/feed.json', '/updates/feed.json']);
  });
});

describe('plugin headers', () => {
  it('are null without a name, with an overlong version or without a file', async () => {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return readHeaders(join(folder, name));
    };
    expect(await write('a.php', '<?php // Version: 1.0')).toBeNull();
    expect(await write('b.php', `Plugin Name: B\nVersion: ${'1'.repeat(200)}`)).toBeNull();
    expect(await readHeaders(join(folder, 'missing.php'))).toBeNull();
    expect(await write('c.php', 'Plugin Name: C\nVersion: 1\nRequires Plugins: a, ,b')).toEqual({
      name: 'C',
      version: '1',
      requiredPlugins: ['a', 'b'],
    });
  });
});

describe('site lock', () => {
  it('is reentrant, is taken over from a dead process and refused while its holder runs', () => {
    const file = join(folder, 'lock');
    expect([acquireLock(file), acquireLock(file)]).toEqual([null, null]);
    writeFileSync(file, '4194311 12345\n');
    expect(acquireLock(file)).toBeNull();
    const living = 1;
    writeFileSync(file, describeProcess(living));
    expect(acquireLock(file)).toBe(living);
    expect(() => acquireLock(join(folder, 'no-such-folder/lock'))).toThrow('ENOENT');
  });

  it('is taken over also if a process was killed while it removed the lock of a dead process', () => {
    const file = join(folder, 'lock');
    writeFileSync(file, '4194311 12345\n');
    writeFileSync(`${file}.removal`, '4194312 12345\n');
    expect(acquireLock(file)).toBeNull();
    expect(readFileSync(file, 'utf8')).toBe(describeProcess(process.pid));
    expect(existsSync(`${file}.removal`)).toBe(false);
  });

  it('is left to the process that removes the lock of a dead process', () => {
    const file = join(folder, 'lock');
    const living = 1;
    writeFileSync(file, '4194311 12345\n');
    writeFileSync(`${file}.removal`, describeProcess(living));
    expect(acquireLock(file)).toBe(living);
    rmSync(`${file}.removal`);
  });
});
