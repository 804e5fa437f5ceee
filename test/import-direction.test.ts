import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FEATURE = 'packages/panel/src/features/licenses';
let house = '';

/** An empty house under our rules, where files may break them. */
beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'steward-lint-'));
  const rules = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  const { $schema, vcs, ...kept } = rules;
  writeFileSync(join(house, 'biome.json'), JSON.stringify(kept));
});
afterAll(() => rmSync(house, { recursive: true, force: true }));

/** Whether the linter accepts a file of that name that imports that. */
function accepts(file: string, specifier: string): boolean {
  const path = join(house, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { thing } from '${specifier}';\n\nexport const used = thing;\n`);
  const biome = join(ROOT, 'node_modules/.bin/biome');
  const { status, stderr } = spawnSync(biome, ['lint', path], { cwd: house, encoding: 'utf8' });
  expect(status === 0 || stderr.includes('noRestrictedImports')).toBe(true);
  return status === 0;
}

describe('the direction of imports', () => {
  for (const [file, specifier] of [
    [`${FEATURE}/licenses.routes.ts`, './licenses.service.ts'],
    [`${FEATURE}/licenses.service.ts`, './licenses.repository.ts'],
    [`${FEATURE}/licenses.service.ts`, '../audit/audit.service.ts'],
    [`${FEATURE}/licenses.repository.ts`, '../../database/tables.ts'],
    ['packages/agent/src/server.ts', '@steward/contract'],
    ['packages/panel/src/lib/logger.ts', '@steward/contract'],
    ['packages/web/src/app/router.tsx', '../features/sites/sites-page.tsx'],
    ['packages/web/src/features/sites/sites-page.tsx', '../../components/light.tsx'],
  ] as const) {
    it(`lets ${file} import ${specifier}`, () => expect(accepts(file, specifier)).toBe(true));
  }

  for (const [file, specifier] of [
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
  ] as const) {
    it(`forbids ${file} to import ${specifier}`, () =>
      expect(accepts(file, specifier)).toBe(false));
  }
});
