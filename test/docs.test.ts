import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { ERROR_CODES, SITE_STATUSES } from '@steward/contract';
import { createCommandContext, createProgram } from '@steward/panel/command';
import { loadConfig } from '@steward/panel/program';
import {
  findCommandFault,
  listCommands,
  readCommandSpans,
} from '@steward/testkit/docs/command-spans.ts';
import { findBrokenLinks } from '@steward/testkit/docs/links.ts';
import { findTestFaults } from '@steward/testkit/docs/named-tests.ts';
import { readShellBlocks } from '@steward/testkit/docs/shell-blocks.ts';
import { describe, expect, it, vi } from 'vitest';
import benchPackageJson from '../bench/package.json' with { type: 'json' };
import packageJson from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Folders and pictures have no headings. */
const readIfExists = (path: string) => {
  if (!existsSync(join(ROOT, path))) return null;
  return path.endsWith('.md') ? read(path) : '';
};

const { stdin, stdout, stderr } = process;
const program = createProgram(createCommandContext({ env: {}, stdin, stdout, stderr }));

const DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true })
  .map((name) => `docs/${name}`)
  .filter((name) => name.endsWith('.md'));
const PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/README.md',
  ...DOCS,
];

describe('documentation', () => {
  it('lists every error code with its status and sentence, and no others', () => {
    const rows = [...read('docs/protocol.md').matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \|$/gm)];
    const documented = Object.fromEntries(
      rows.map(([, code, status, message]) => [code, { status: Number(status), message }]),
    );
    expect(documented).toEqual(ERROR_CODES);
  });

  it('lists every environment variable that the panel reads, and no others', () => {
    const variables = new Set<string>();
    loadConfig(
      new Proxy(
        {},
        {
          get: (_env, name) => {
            variables.add(String(name));
            return undefined;
          },
        },
      ),
    );
    const rows = [...read('docs/settings.md').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)];
    const documented = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
    // Each setting can also be in a file. The page states this once.
    const settings = [...variables].filter((name) => !name.endsWith('_FILE'));
    expect(documented.sort()).toEqual(settings.sort());
  });

  it('lists every command of steward with all its options, and no others', () => {
    const rows = readCommandRows();
    const undocumented = listCommands(program).flatMap(({ name, command }) => {
      const row = rows.find(({ names }) => names.includes(name));
      if (!row) return [name];
      const options = command.options.map(({ long }) => long ?? '');
      return options
        .filter((option) => !COMMON_OPTIONS.includes(option) && !row.options.includes(option))
        .map((option) => `${name} ${option}`);
    });
    expect(undocumented).toEqual([]);
    const existing = listCommands(program).map(({ name }) => name);
    expect(rows.flatMap(({ names }) => names).filter((name) => !existing.includes(name))).toEqual(
      [],
    );
  });

  it('names only commands, options and arguments that steward accepts', () => {
    const faults = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
      readCommandSpans(read(page)).flatMap(({ line, words }) => {
        const fault = findCommandFault(program, words);
        return fault ? [`${page}:${line}: ${fault}`] : [];
      }),
    );
    expect(faults).toEqual([]);
  });

  it('names an existing test for each block that docs-commands.test.ts leaves to another test', () => {
    const missing = PAGES.flatMap((page) =>
      readShellBlocks(read(page)).flatMap(({ line, mark }) =>
        mark?.kind === 'run by' && !existsSync(join(ROOT, mark.text))
          ? [`${page}:${line}: ${mark.text}`]
          : [],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('names only npm scripts that exist, and docs/commands.md names all of them', () => {
    const scripts = Object.keys(packageJson.scripts);
    const scriptsIn = (page: string) =>
      [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    const unknown = PAGES.filter((page) => page !== 'bench/README.md')
      .flatMap(scriptsIn)
      .filter((name) => !scripts.includes(name) && !WORKSPACE_SCRIPTS.includes(name));
    expect(unknown).toEqual([]);
    const documented = scriptsIn('docs/commands.md').concat('start', 'test');
    expect(scripts.filter((name) => !documented.includes(name))).toEqual([]);
  });

  it('lists all states of a site in docs/commands.md', () => {
    const page = read('docs/commands.md');
    expect(SITE_STATUSES.filter((status) => !page.includes(`\`${status}\``))).toEqual([]);
  });

  it('names for each attack of the threat model a test that npm test runs', async () => {
    const isRun = await createRunCheck();
    const page = read('docs/security.md');
    const required = ['Threat model', 'Promises of other pages'];
    for (const section of required) expect(page.split('\n')).toContain(`## ${section}`);
    expect(findTestFaults(page, { required, isRun })).toEqual([]);
    expect(isRun('packages/panel/test/runs/trust.test.ts')).toBe(true);
    expect(isRun('packages/panel/test/runs/removed.test.ts')).toBe(false);
    expect(isRun('conformance/cases/signatures.ts')).toBe(false);
  });

  it('has no broken link to a file or a heading', () => {
    const broken = PAGES.flatMap((page) => findBrokenLinks(page, readIfExists));
    expect(broken).toEqual([]);
  });

  it('links every page from the index', () => {
    const index = read('docs/README.md');
    const pages = DOCS.map((page) => page.replace('docs/', '')).filter(
      (page) => page !== 'README.md',
    );
    expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
  });
});

/** Scripts of packages/web and bench that pages name. */
const WORKSPACE_SCRIPTS = ['dev', ...Object.keys(benchPackageJson.scripts)];

/** Options of most commands, which docs/commands.md describes once. */
const COMMON_OPTIONS = ['--json', '--panel', '--insecure-http'];

/** The rows of docs/commands.md: the commands in the first cell, and the options in the row or in the list below the table. */
function readCommandRows() {
  const optionsIn = (text: string) => [...text.matchAll(/--[a-z0-9-]+/g)].map(([option]) => option);
  return read('docs/commands.md')
    .split(/^##+ /m)
    .flatMap((section) => {
      const lines = section.split('\n');
      const list = lines.filter((line) => /^(- | {2})/.test(line)).join('\n');
      return lines
        .filter((line) => line.startsWith('| `npx steward '))
        .map((line) => {
          const [first = ''] = line.split(' | ');
          const names = [...first.matchAll(/`(?:npx steward )?([a-z]+[a-z0-9 -]*)/g)].map(
            ([, words = '']) => words.replace(/ --.*| $/, ''),
          );
          return { names, options: optionsIn(line + list) };
        });
    });
}

/** The test suite of `wordpress/phpunit.xml`. */
const PHPUNIT_TESTS = 'wordpress/test/php/*_Test.php';

/** Returns whether a file exists, and PHPUnit or a Vitest project includes it, when no tier is skipped. */
async function createRunCheck(): Promise<(path: string) => boolean> {
  for (const name of ['SKIP_WORDPRESS', 'SKIP_BROWSER']) vi.stubEnv(name, '');
  const { default: config } = await import('../vitest.config.ts');
  vi.unstubAllEnvs();
  type Globs = { test: { include: string[]; exclude: string[] } };
  const projects = (config.test?.projects ?? []) as Globs[];
  const matches = (path: string, globs: string[]) => globs.some((glob) => matchesGlob(path, glob));
  return (path) =>
    existsSync(join(ROOT, path)) &&
    (matchesGlob(path, PHPUNIT_TESTS) ||
      projects.some(
        ({ test: { include, exclude } }) => matches(path, include) && !matches(path, exclude),
      ));
}
