import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FEATURES = 'packages/panel/src/features';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const listFolders = (path: string) =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !/^\.|^(node_modules|dist|coverage|data|secrets)$/.test(name));

/** The list of folders in CONTRIBUTING.md. An indented entry is below the last entry that is not. */
function readListedFolders(): { path: string; text: string }[] {
  const [, list = ''] = /## Folders\n+```\n([\s\S]*?)```/.exec(read('CONTRIBUTING.md')) ?? [];
  let parent = '';
  return [...list.matchAll(/^( {2})?(\S+) +(.+(?:\n {4,}.+)*)/gm)].map(
    ([, indent, name = '', text = '']) => {
      if (!indent) parent = name;
      return { path: indent ? join(parent, name) : name, text };
    },
  );
}

describe('the folders in CONTRIBUTING.md', () => {
  const listed = readListedFolders();
  const paths = listed.map(({ path }) => path);

  it('exist', () => {
    expect(paths.length).toBeGreaterThan(40);
    const missing = paths.filter((path) => !existsSync(join(ROOT, path.replace('<f>/', ''))));
    expect(missing).toEqual([]);
  });

  it('include every folder of the project, of the packages and of the testkit', () => {
    const folders = [
      ...listFolders('.').filter((name) => !['packages', 'wordpress'].includes(name)),
      ...listFolders('packages').map((name) => `packages/${name}`),
      ...listFolders('packages/testkit/src').map((name) => `packages/testkit/src/${name}`),
    ];
    expect(folders.filter((folder) => !paths.includes(`${folder}/`))).toEqual([]);
  });

  it('include every feature of the panel, and no others', () => {
    const { text = '' } = listed.find(({ path }) => path === `${FEATURES}/<f>/`) ?? {};
    const [names = ''] = text.split(';');
    expect(names.split(/,\s+/).sort()).toEqual(listFolders(FEATURES).sort());
  });
});

it('docs/architecture.md names every feature that uses the tables of pg-boss', () => {
  const users = globSync(`${FEATURES}/*/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && read(file).includes('pgboss.'))
    .map(
      (file) =>
        dirname(file)
          .slice(FEATURES.length + 1)
          .split('/')[0],
    );
  const [, sentence = ''] = /These features do:([^.]+)\./.exec(read('docs/architecture.md')) ?? [];
  const named = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...new Set(users)].sort());
});

it('README.md and CONTRIBUTING.md state the same duration of the tests', () => {
  const durationIn = (page: string) =>
    /about \d+ minutes on two cores/.exec(read(page).replaceAll('\n', ' '))?.[0];
  expect(durationIn('README.md')).toBeDefined();
  expect(durationIn('CONTRIBUTING.md')).toBe(durationIn('README.md'));
});
