import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildFolder, isBuilt } from '../tools/build-folder.ts';

it('a build is outdated as soon as the content of a source file changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = join(folder, 'a.ts');
  const write = (text: string) => writeFileSync(source, text);
  const target = join(folder, 'dist');
  let duringBuild = () => {};
  const builds = {
    target,
    sources: [join(relative(join(import.meta.dirname, '..'), folder), '*.ts')],
    async build(newFolder: string) {
      writeFileSync(join(newFolder, 'a.js'), readFileSync(source));
      duringBuild();
    },
  };
  write('one');
  expect(await isBuilt(builds)).toBe(false);
  await buildFolder(builds);
  expect(await isBuilt(builds)).toBe(true);
  write('two');
  expect(await isBuilt(builds)).toBe(false);

  duringBuild = () => write('three');
  await buildFolder(builds);
  expect(readFileSync(join(target, 'a.js'), 'utf8')).toBe('two');
  expect(await isBuilt(builds)).toBe(false);

  duringBuild = () => {
    throw new Error('Out of memory.');
  };
  await expect(buildFolder(builds)).rejects.toThrow('Out of memory.');
  expect(readFileSync(join(target, 'a.js'), 'utf8')).toBe('two');
});
