import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildFolder, isBuilt } from '../tools/build-folder.ts';

it('a build is outdated as soon as the content of a source file changes, and a failed build keeps it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = join(folder, 'a.ts');
  const write = (text: string) => writeFileSync(source, text);
  const target = join(folder, 'dist');
  let duringBuild = () => {};
  const options = {
    target,
    sources: [join(relative(join(import.meta.dirname, '..'), folder), '*.ts')],
    async build(newFolder: string) {
      writeFileSync(join(newFolder, 'a.js'), readFileSync(source));
      duringBuild();
    },
  };
  write('one');
  expect(await isBuilt(options)).toBe(false);
  await buildFolder(options);
  expect(await isBuilt(options)).toBe(true);
  write('two');
  expect(await isBuilt(options)).toBe(false);

  duringBuild = () => write('three');
  await buildFolder(options);
  expect(readFileSync(join(target, 'a.js'), 'utf8')).toBe('two');
  expect(await isBuilt(options)).toBe(false);

  duringBuild = () => {
    throw new Error('Out of memory.');
  };
  await expect(buildFolder(options)).rejects.toThrow('Out of memory.');
  expect(readFileSync(join(target, 'a.js'), 'utf8')).toBe('two');
});
