import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { writeZip, type ZipEntry } from '@steward/testkit/zip.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpack } from './unpack.ts';

const LIMITS = { maxBytes: 10_000, maxFiles: 5 };
const SYMLINK = 0o120777;

describe('unpack', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(scratchRoot(), 'steward-unpack-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const zipPath = () => join(folder, 'package.zip');
  const target = () => join(folder, 'out');
  const files = () => (existsSync(target()) ? readdirSync(target(), { recursive: true }) : []);
  const unpackZip = async (entries: ZipEntry[]) => {
    await writeZip(zipPath(), entries);
    await unpack(zipPath(), target(), LIMITS);
  };

  it('writes files and folders at their paths in the package', async () => {
    await unpackZip([
      { name: 'shop/shop.php', content: 'a' },
      { name: 'shop/deep/er/file.txt', content: 'b' },
    ]);
    expect(readFileSync(join(target(), 'shop/deep/er/file.txt'), 'utf8')).toBe('b');
  });

  /** The zip library refuses to write such names, so the test writes another name of the same length and replaces it. */
  async function unpackWithName(name: string) {
    const placeholder = 'x'.repeat(name.length);
    await writeZip(zipPath(), [
      { name: 'good.txt', content: 'good' },
      { name: placeholder, content: 'bad' },
    ]);
    const bytes = readFileSync(zipPath());
    for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder))
      bytes.write(name, at);
    writeFileSync(zipPath(), bytes);
    await unpack(zipPath(), target(), LIMITS);
  }

  for (const name of [
    '../out.txt',
    'a/../../out.txt',
    '/etc/passwd2',
    'a\\..\\out.txt',
    'C:/out.txt',
  ]) {
    it(`writes nothing from a package with ${name}`, async () => {
      await expect(unpackWithName(name)).rejects.toThrow();
      expect(files()).toEqual([]);
    });
  }

  it('writes nothing from a package with a link', async () => {
    const entries = [
      { name: 'good.txt', content: 'good' },
      { name: 'link', content: '/etc/passwd', mode: SYMLINK },
    ];
    await expect(unpackZip(entries)).rejects.toThrow('link');
    expect(files()).toEqual([]);
  });

  it('refuses a zip bomb: a small package that unpacks to more than the limit', async () => {
    const bomb = { name: 'bomb.txt', content: '0'.repeat(1_000_000) };
    await expect(unpackZip([{ name: 'good.txt', content: 'good' }, bomb])).rejects.toThrow(
      '10000 bytes',
    );
    expect(readFileSync(zipPath()).length).toBeLessThan(LIMITS.maxBytes);
    expect(files()).toEqual([]);
  });

  it('refuses a package that states a wrong size', async () => {
    await writeZip(zipPath(), [{ name: 'bomb.txt', content: '0'.repeat(1_000_000) }]);
    const bytes = readFileSync(zipPath());
    const size = Buffer.alloc(4);
    size.writeUInt32LE(1_000_000);
    const wrongSize = Buffer.alloc(4);
    wrongSize.writeUInt32LE(100);
    for (let at = bytes.indexOf(size); at >= 0; at = bytes.indexOf(size)) wrongSize.copy(bytes, at);
    writeFileSync(zipPath(), bytes);
    await expect(unpack(zipPath(), target(), LIMITS)).rejects.toThrow();
  });

  it('reports damaged compressed content as a damaged package', async () => {
    const content = Array.from({ length: 200 }, (_, number) => number).join(' ');
    await writeZip(zipPath(), [{ name: 'long.txt', content }]);
    const bytes = readFileSync(zipPath());
    const contentAt = bytes.indexOf('long.txt') + 'long.txt'.length;
    writeFileSync(zipPath(), bytes.fill(0xff, contentAt, contentAt + 20));
    await expect(unpack(zipPath(), target(), LIMITS)).rejects.toThrow(
      'The package is damaged: its file long.txt cannot be unpacked. Retry.',
    );
  });

  it('refuses too many files, an empty package and a file that is not a zip', async () => {
    const many = Array.from({ length: 6 }, (_, each) => ({ name: `${each}.txt`, content: '' }));
    await expect(unpackZip(many)).rejects.toThrow('5 files');
    await expect(unpackZip([])).rejects.toThrow('empty');
    writeFileSync(zipPath(), '<html>not found</html>');
    await expect(unpack(zipPath(), target(), LIMITS)).rejects.toThrow();
    expect(files()).toEqual([]);
  });
});
