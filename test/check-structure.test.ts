import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findImportProblems } from '../tools/import-problems.ts';

const ROOT = join(import.meta.dirname, '..');
const LICENSES = 'packages/panel/src/features/licenses';
const RUNS = 'packages/panel/src/features/runs';
const SITES = 'packages/panel/src/features/sites';
const PLATFORM = 'packages/panel/src/platform';
const WEB = 'packages/web/src';

const ALLOWED = [
  [`${LICENSES}/licenses.routes.ts`, './licenses.service.ts'],
  [`${LICENSES}/licenses.service.ts`, './licenses.repository.ts'],
  [`${LICENSES}/licenses.service.ts`, '../audit/index.ts'],
  [`${LICENSES}/licenses.repository.ts`, '../../platform/database/handles.ts'],
  [`${LICENSES}/licenses.repository.ts`, './database.ts'],
  [`${LICENSES}/database.ts`, '../sites/tables.ts'],
  ['packages/panel/src/tables.ts', './features/sites/tables.ts'],
  [`${LICENSES}/licenses.routes.ts`, '../../http/access.ts'],
  [`${RUNS}/worker/call-site.ts`, '../../../site-client/index.ts'],
  [`${RUNS}/worker/call-site.ts`, '../../licenses/index.ts'],
  [`${RUNS}/worker/call-site.ts`, '../jobs.ts'],
  ['packages/panel/src/app.ts', './features/licenses/index.ts'],
  [`${SITES}/tags.repository.ts`, './search/index.ts'],
  [`${SITES}/search/find-page.ts`, './search.repository.ts'],
  ['packages/agent/src/server.ts', '@steward/contract'],
  [`${PLATFORM}/logger.ts`, '@steward/contract'],
  [`${WEB}/app/router.tsx`, '../features/sites/sites-page.tsx'],
  [`${WEB}/features/sites/sites-page.tsx`, '../../components/light.tsx'],
  [`${WEB}/features/overview/overview-page.tsx`, '../licenses/index.ts'],
  // The entry points of the panel, and test code in tests.
  ['bench/holds/run.ts', '@steward/panel/program'],
  ['packages/testkit/src/postgres/test-postgres.ts', '@steward/panel/database'],
  ['packages/panel/test/runs/trust.test.ts', '../../src/site-client/sign-call.ts'],
  [`${PLATFORM}/config.test.ts`, '@steward/testkit/logs.ts'],
] as const;

const FORBIDDEN = [
  // Imports of another feature that bypass its index.ts, at any depth and by any path.
  [`${LICENSES}/licenses.service.ts`, '../audit/audit.service.ts'],
  [`${LICENSES}/licenses.service.ts`, '../runs/worker/worker.ts'],
  [`${LICENSES}/licenses.service.ts`, '../../features/audit/audit.service.ts'],
  [`${LICENSES}/licenses.service.ts`, '@steward/panel/features/audit/audit.service.ts'],
  [`${RUNS}/worker/call-site.ts`, '../../licenses/proofs.service.ts'],
  [`${RUNS}/worker/deep/er/call.ts`, '../../../../licenses/proofs.service.ts'],
  [`${RUNS}/worker/deep/er/call.ts`, '../../../../licenses/inner/index.ts'],
  ['packages/panel/src/app.ts', './features/licenses/licenses.routes.ts'],
  [`${WEB}/features/sites/sites-page.tsx`, '../runs/run-page.tsx'],
  [`${WEB}/features/sites/components/deep/bar.tsx`, '../../../runs/components/bar.tsx'],
  // Tables of another feature, past its read models.
  [`${LICENSES}/licenses.repository.ts`, '../sites/tables.ts'],
  [`${LICENSES}/licenses.repository.ts`, '../sites/database.ts'],
  [`${LICENSES}/database.ts`, '../sites/database.ts'],
  [`${LICENSES}/database.ts`, '../sites/index.ts'],
  [`${LICENSES}/tables.ts`, '../sites/tables.ts'],
  [`${LICENSES}/licenses.repository.ts`, '../../tables.ts'],
  ['packages/panel/src/commands/serve.ts', '../tables.ts'],
  // The site search, past its index.ts.
  [`${SITES}/tags.repository.ts`, './search/filters.ts'],
  [`${SITES}/site-list.service.ts`, './search/search.repository.ts'],
  ['packages/panel/test/sites/list.test.ts', '../../src/features/sites/search/find-page.ts'],
  ['packages/panel/src/features/overview/overview.service.ts', '../sites/search/index.ts'],
  // Files of the panel that are no entry points, by name and by path, also in tests.
  ['bench/holds/run.ts', '@steward/panel/features/runs/hold-back.ts'],
  ['bench/holds/run.ts', '@steward/panel/features/runs/index.ts'],
  ['bench/holds/run.ts', '../../packages/panel/src/features/runs/hold-back.ts'],
  ['tools/release.ts', '../packages/panel/scripts/ready.ts'],
  ['wordpress/test/trust.test.ts', '@steward/panel/site-client/sign-call.ts'],
  ['packages/testkit/src/logs.ts', '../../panel/src/platform/logger.ts'],
  // Layers.
  [`${LICENSES}/licenses.routes.ts`, './licenses.repository.ts'],
  [`${LICENSES}/licenses.service.ts`, './licenses.routes.ts'],
  [`${LICENSES}/licenses.repository.ts`, './licenses.service.ts'],
  [`${LICENSES}/licenses.service.ts`, '../../services.ts'],
  [`${PLATFORM}/logger.ts`, '../features/audit/index.ts'],
  [`${PLATFORM}/database/connect.ts`, '../../http/errors.ts'],
  ['packages/panel/src/http/access.ts', '../features/accounts/index.ts'],
  ['packages/panel/src/site-client/index.ts', '../http/errors.ts'],
  ['packages/contract/src/site-url.ts', '@steward/panel'],
  ['packages/contract/src/site-url.ts', 'node:fs'],
  ['packages/agent/src/server.ts', '@steward/panel/app.ts'],
  [`${WEB}/app/main.tsx`, '@steward/panel/app.ts'],
  [`${WEB}/app/main.tsx`, '@steward/agent/platform.ts'],
  [`${WEB}/features/sites/sites-page.tsx`, '../../app/router.tsx'],
  [`${WEB}/components/light.tsx`, '../features/runs/api.ts'],
  // Test code in production code.
  [`${LICENSES}/licenses.service.ts`, '@steward/testkit/panel/signed-in-user.ts'],
  ['packages/panel/src/commands/serve.ts', '@steward/testkit/panel/signed-in-user.ts'],
  ['packages/agent/src/server.ts', '@steward/testkit/sites/faults.ts'],
  [`${WEB}/components/light.tsx`, '../../test/render-screen.tsx'],
  [`${PLATFORM}/logger.ts`, '../../../testkit/src/logs.ts'],
] as const;

const findProblems = (file: string, source: string) =>
  findImportProblems(new Map([[file, source]]));

describe('imports', () => {
  for (const [file, specifier] of ALLOWED) {
    it(`of ${specifier} are allowed in ${file}`, () => {
      expect(findProblems(file, `import { thing } from '${specifier}';\n`)).toEqual([]);
    });
  }

  for (const [file, specifier] of FORBIDDEN) {
    it(`of ${specifier} are forbidden in ${file}`, () => {
      const problems = findProblems(file, `import type { Thing } from '${specifier}';\n`);
      expect(problems.join()).toContain(`${file} must not import '${specifier}'`);
    });
  }

  for (const [kind, statement] of [
    ['a re-export', "export { thing } from '../audit/audit.service.ts';"],
    ['a dynamic import', "await import('../audit/audit.service.ts');"],
    ['a side-effect import', "import '../audit/audit.service.ts';"],
    ['an import over several lines', "import {\n  thing,\n} from '../audit/audit.service.ts';"],
  ] as const) {
    it(`are found in ${kind}`, () => {
      expect(findProblems(`${LICENSES}/licenses.service.ts`, statement)).toHaveLength(1);
    });
  }

  it('must not form a cycle, including type imports', () => {
    const problems = findImportProblems(
      new Map([
        [`${RUNS}/a.ts`, "import type { B } from './b.ts';"],
        [`${RUNS}/b.ts`, "import { c } from './c.ts';"],
        [`${RUNS}/c.ts`, "import type { A } from './a.ts';"],
      ]),
    );
    expect(problems).toEqual([
      `Circular import: ${RUNS}/a.ts → ${RUNS}/b.ts → ${RUNS}/c.ts → ${RUNS}/a.ts`,
    ]);
  });
});

it('the panel exports single entry points, no folders', () => {
  const panel = JSON.parse(readFileSync(join(ROOT, 'packages/panel/package.json'), 'utf8'));
  expect(Object.keys(panel.exports).filter((name) => /[*.]/.test(name.slice(2)))).toEqual([]);
});

it('npm run check fails on a forbidden import or table, and passes for this project', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.check).toContain('npm run -s check:structure');
  const command = (root: string) =>
    spawnSync(process.execPath, [join(ROOT, scripts['check:structure'].split(' ')[1]), root], {
      encoding: 'utf8',
    });
  expect(command(ROOT)).toMatchObject({ status: 0, stderr: '' });

  const folder = mkdtempSync(join(tmpdir(), 'steward-structure-'));
  try {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write(`${SITES}/tables.ts`, 'export type SiteTables = { sites: { id: number } };');
    write(`${RUNS}/deep/call.ts`, "import { thing } from '../../licenses/proofs.service.ts';\n");
    write(`${RUNS}/deep/read.ts`, 'await sql`SELECT id FROM sites`.execute(db);\n');
    const { status, stderr } = command(folder);
    expect(status).toBe(1);
    expect(stderr).toContain("call.ts must not import '../../licenses/proofs.service.ts'");
    expect(stderr).toContain('read.ts reads the table sites of sites');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
