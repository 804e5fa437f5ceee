import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERROR_CODES } from '@steward/contract';
import { loadConfig } from '@steward/panel/platform/config.ts';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the documentation', () => {
  it('lists exactly the error codes that there are, with their status and sentence', () => {
    const rows = [...read('docs/protocol.md').matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \|$/gm)];
    const documented = Object.fromEntries(
      rows.map(([, code, status, message]) => [code, { status: Number(status), message }]),
    );
    expect(documented).toEqual(ERROR_CODES);
  });

  it('names every variable of the environment that the panel reads', () => {
    const asked: string[] = [];
    loadConfig(
      new Proxy(
        {},
        {
          get: (_env, name) => {
            asked.push(String(name));
            return undefined;
          },
        },
      ),
    );
    const readme = read('README.md');
    expect(asked.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  it('names a test that exists for each attack of the threat model', () => {
    const tests = [...read('docs/security.md').matchAll(/`([\w./-]+\.ts)`/g)].map(
      ([, path]) => path,
    );
    expect(tests.length).toBeGreaterThan(20);
    expect(tests.filter((path) => !existsSync(join(ROOT, path ?? '')))).toEqual([]);
  });

  it('has no link to a file that is not there', () => {
    const pages = [
      'README.md',
      'SECURITY.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'bench/README.md',
    ].concat(
      readdirSync(join(ROOT, 'docs'), { recursive: true })
        .map((name) => `docs/${name}`)
        .filter((name) => name.endsWith('.md')),
    );
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map(([, target = '']) => join(dirname(page), target))
        .filter((target) => !existsSync(join(ROOT, target))),
    );
    expect(broken).toEqual([]);
  });
});
