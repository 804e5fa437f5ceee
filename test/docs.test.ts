import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERROR_CODES } from '@steward/contract';
import { runCommand } from '@steward/panel/commands/run-command.ts';
import { loadConfig } from '@steward/panel/platform/config.ts';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

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
            // Each setting can be in a file, which the page says once.
            if (!String(name).endsWith('_FILE')) variables.add(String(name));
            return undefined;
          },
        },
      ),
    );
    const rows = [...read('docs/settings.md').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)];
    const documented = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
    expect(documented.sort()).toEqual([...variables].sort());
  });

  it('lists every command of steward, and no others', async () => {
    const rows = read('docs/commands.md')
      .split('\n')
      .filter((line) => line.startsWith('| `npx steward '))
      .map((line) => line.split(' | ')[0] ?? '');
    const documented = rows.flatMap((row) =>
      [...row.matchAll(/`(?:npx steward )?([a-z]+[a-z0-9 -]*)/g)].map(([, words = '']) =>
        words.replace(/ --.*| $/, ''),
      ),
    );
    expect(documented.sort()).toEqual((await commandsBelow([])).sort());
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

  it('names an existing test for each attack of the threat model', () => {
    const tests = [...read('docs/security.md').matchAll(/`([\w./-]+\.ts)`/g)].map(
      ([, path]) => path,
    );
    expect(tests.length).toBeGreaterThan(20);
    expect(tests.filter((path) => !existsSync(join(ROOT, path ?? '')))).toEqual([]);
  });

  it('has no broken link to a file or a heading', () => {
    const broken = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
        .map(([, target, anchor]) => ({
          path: target ? join(dirname(page), target) : page,
          anchor,
        }))
        .filter(
          ({ path, anchor }) =>
            !existsSync(join(ROOT, path)) || (anchor && !anchorsOf(path).includes(anchor)),
        )
        .map(({ path, anchor }) => `${page}: ${path}${anchor ? `#${anchor}` : ''}`),
    );
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

/** Scripts of packages/web that CONTRIBUTING and decisions name. */
const WORKSPACE_SCRIPTS = ['dev'];

/** The names of all commands without subcommands, read from the help texts. */
async function commandsBelow(words: string[]): Promise<string[]> {
  let help = '';
  const stdout = { write: (text: string) => (help += text) };
  await runCommand([...words, '--help'], { env: {}, stdin: process.stdin, stdout, stderr: stdout });
  const list = help.split('\nCommands:\n')[1] ?? '';
  const names = [...list.matchAll(/^ {2}([a-z0-9-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  if (names.length === 0) return [words.join(' ')];
  const below = await Promise.all(names.map((name) => commandsBelow([...words, name])));
  return below.flat();
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
