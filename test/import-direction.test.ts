import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FEATURE = 'packages/panel/src/features/licenses';

const ALLOWED = [
  [`${FEATURE}/licenses.routes.ts`, './licenses.service.ts'],
  [`${FEATURE}/licenses.service.ts`, './licenses.repository.ts'],
  [`${FEATURE}/licenses.service.ts`, '../audit/audit.service.ts'],
  [`${FEATURE}/licenses.repository.ts`, '../../database/tables.ts'],
  ['packages/agent/src/server.ts', '@steward/contract'],
  ['packages/panel/src/lib/logger.ts', '@steward/contract'],
  ['packages/panel/src/lib/logger.test.ts', '@steward/testkit/logs.ts'],
  ['packages/web/src/app/router.tsx', '../features/sites/sites-page.tsx'],
  ['packages/web/src/app/router.test.tsx', '../../test/render-screen.tsx'],
  ['packages/web/src/features/sites/sites-page.tsx', '../../components/light.tsx'],
] as const;

const FORBIDDEN = [
  [`${FEATURE}/licenses.routes.ts`, './licenses.repository.ts'],
  [`${FEATURE}/licenses.service.ts`, './licenses.routes.ts'],
  [`${FEATURE}/licenses.service.ts`, '../audit/audit.repository.ts'],
  [`${FEATURE}/license-view.ts`, '../audit/audit.repository.ts'],
  [`${FEATURE}/licenses.repository.ts`, './licenses.service.ts'],
  [`${FEATURE}/licenses.repository.ts`, '../sites/sites.repository.ts'],
  ['packages/panel/src/lib/logger.ts', '../features/audit/audit.service.ts'],
  ['packages/panel/src/database/connect.ts', '../plugins/errors.ts'],
  ['packages/contract/src/site-url.ts', '@steward/panel'],
  ['packages/contract/src/site-url.ts', 'node:fs'],
  ['packages/agent/src/server.ts', '@steward/panel/app.ts'],
  ['packages/web/src/app/main.tsx', '@steward/panel/app.ts'],
  ['packages/web/src/features/sites/sites-page.tsx', '../../app/router.tsx'],
  ['packages/web/src/components/light.tsx', '../features/runs/api.ts'],
  // Production code contains no test code.
  [`${FEATURE}/licenses.service.ts`, '@steward/testkit/panel/people.ts'],
  ['packages/panel/src/commands/serve.ts', '@steward/testkit/panel/people.ts'],
  ['packages/panel/src/lib/logger.ts', '@steward/testkit/logs.ts'],
  ['packages/agent/src/server.ts', '@steward/testkit/sites/faults.ts'],
  ['packages/web/src/components/light.tsx', '@steward/testkit/browser/axe.ts'],
  ['packages/web/src/components/light.tsx', '../../test/render-screen.tsx'],
  ['packages/panel/src/lib/logger.ts', '../../../testkit/src/logs.ts'],
  ['packages/contract/src/site-url.ts', '@steward/testkit/logs.ts'],
] as const;

/** `file` as a name of its own for each import, in the same folder and with the same ending. */
const nameOf = (file: string, specifier: string) =>
  file.replace(/([^/]+?)(\.[^/]+)$/, `$1-${Buffer.from(specifier).toString('hex')}$2`);

let house = '';
const refused = new Set<string>();

/** An empty house under our rules, where files may break them. The linter looks at it once. */
beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'steward-lint-'));
  const rules = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  const { $schema, vcs, ...kept } = rules;
  writeFileSync(join(house, 'biome.json'), JSON.stringify(kept));
  for (const [file, specifier] of [...ALLOWED, ...FORBIDDEN]) {
    const path = join(house, nameOf(file, specifier));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import { thing } from '${specifier}';\n\nexport const used = thing;\n`);
  }
  const { stdout } = spawnSync(
    join(ROOT, 'node_modules/.bin/biome'),
    ['lint', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd: house, encoding: 'utf8' },
  );
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string | { file: string } } }[];
  };
  for (const { category, location } of diagnostics) {
    expect(category).toBe('lint/style/noRestrictedImports');
    refused.add(typeof location.path === 'string' ? location.path : location.path.file);
  }
});
afterAll(() => rmSync(house, { recursive: true, force: true }));

const accepts = (file: string, specifier: string) => !refused.has(nameOf(file, specifier));

describe('the direction of imports', () => {
  for (const [file, specifier] of ALLOWED) {
    it(`lets ${file} import ${specifier}`, () => expect(accepts(file, specifier)).toBe(true));
  }

  for (const [file, specifier] of FORBIDDEN) {
    it(`forbids ${file} to import ${specifier}`, () =>
      expect(accepts(file, specifier)).toBe(false));
  }
});
