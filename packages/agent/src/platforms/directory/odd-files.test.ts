import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openFeed } from './feed.ts';
import { readHeaders } from './headers.ts';
import { describeProcess, takeLock } from './site-lock.ts';
import { openStateFile } from './state-file.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(scratchRoot(), 'steward-odd-files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the state of a site', () => {
  it('is a fresh one where there is no file, and a fault where the file is damaged', async () => {
    const file = openStateFile(join(folder, 'none.json'));
    expect(await file.read()).toMatchObject({ active_plugins: [], active_theme: null });
    writeFileSync(join(folder, 'damaged.json'), '{"active_plugins": [');
    await expect(openStateFile(join(folder, 'damaged.json')).read()).rejects.toThrow(SyntaxError);
  });
});

describe('an update feed', () => {
  it('is refused when it is not in the right form, and a package when it is too large', async () => {
    writeFileSync(join(folder, 'feed.json'), '{"plugins": []}');
    writeFileSync(join(folder, 'large.zip'), 'x'.repeat(11));
    const feed = openFeed(folder, 10);
    await expect(feed.read()).rejects.toThrow('not in the right form');
    await expect(feed.fetchPackage('large.zip', join(folder, 'x'))).rejects.toThrow('larger than');
  });

  it('is asked for below its address, and says what could not be fetched', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    for (const ending of ['', '/']) {
      const feed = openFeed(`http://127.0.0.1:${port}/updates${ending}`, 10);
      await expect(feed.read()).rejects.toThrow('feed.json could not be fetched: status 404.');
    }
    expect(asked).toEqual(['/updates/feed.json', '/updates/feed.json']);
  });
});

describe('the headers of a plugin', () => {
  it('are none in a file without a name, with a version too long, or that is not there', async () => {
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
      requires: ['a', 'b'],
    });
  });
});

describe('the lock of a site', () => {
  it('is ours again, is taken from a process that is gone, and is not taken from one that lives', () => {
    const file = join(folder, 'lock');
    expect([takeLock(file), takeLock(file)]).toEqual([null, null]);
    writeFileSync(file, '4194311 12345\n');
    expect(takeLock(file)).toBeNull();
    const living = 1;
    writeFileSync(file, describeProcess(living));
    expect(takeLock(file)).toBe(living);
    expect(() => takeLock(join(folder, 'no-such-folder/lock'))).toThrow('ENOENT');
  });
});
