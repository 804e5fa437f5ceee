import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const LICENSES = 'packages/panel/src/features/licenses';
const RUNS = 'packages/panel/src/features/runs';
const PLATFORM = 'packages/panel/src/platform';
const WEB = 'packages/web/src';

const ALLOWED = [
  [`${LICENSES}/licenses.routes.ts`, './licenses.service.ts'],
  [`${LICENSES}/licenses.service.ts`, './licenses.repository.ts'],
  [`${LICENSES}/licenses.service.ts`, '../audit/index.ts'],
  [`${LICENSES}/licenses.repository.ts`, '../../platform/database/tables.ts'],
  [`${LICENSES}/licenses.routes.ts`, '../../http/access.ts'],
  [`${RUNS}/worker/call-site.ts`, '../../../site-client/index.ts'],
  [`${RUNS}/worker/call-site.ts`, '../../licenses/index.ts'],
  [`${RUNS}/worker/call-site.ts`, '../jobs.ts'],
  ['packages/panel/src/app.ts', './features/licenses/index.ts'],
  ['packages/agent/src/server.ts', '@steward/contract'],
  [`${PLATFORM}/logger.ts`, '@steward/contract'],
  [`${PLATFORM}/logger.test.ts`, '@steward/testkit/logs.ts'],
  [`${WEB}/app/router.tsx`, '../features/sites/sites-page.tsx'],
  [`${WEB}/app/router.test.tsx`, '../../test/render-screen.tsx'],
  [`${WEB}/features/sites/sites-page.tsx`, '../../components/light.tsx'],
  [`${WEB}/features/overview/overview-page.tsx`, '../licenses/index.ts'],
] as const;

const FORBIDDEN = [
  // Another feature, past its index.ts, at any depth and by any path.
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
  [`${WEB}/features/sites/sites-page.tsx`, '../../app/router.tsx'],
  [`${WEB}/components/light.tsx`, '../features/runs/api.ts'],
  // Test code in production code.
  [`${LICENSES}/licenses.service.ts`, '@steward/testkit/panel/people.ts'],
  ['packages/panel/src/commands/serve.ts', '@steward/testkit/panel/people.ts'],
  ['packages/agent/src/server.ts', '@steward/testkit/sites/faults.ts'],
  [`${WEB}/components/light.tsx`, '../../test/render-screen.tsx'],
  [`${PLATFORM}/logger.ts`, '../../../testkit/src/logs.ts'],
] as const;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-imports-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, source: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), source);
}

/** As `npm run check` runs it. */
function check(root = folder) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'tools/check-imports.ts'), root],
    { encoding: 'utf8' },
  );
  return { status, stderr };
}

describe('npm run check:imports', () => {
  it('is part of npm run check, and passes for this project', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts.check).toContain('npm run -s check:imports');
    expect(check(ROOT)).toEqual({ status: 0, stderr: '' });
  });

  for (const [file, specifier] of ALLOWED) {
    it(`lets ${file} import ${specifier}`, () => {
      write(file, `import { thing } from '${specifier}';\n`);
      expect(check()).toEqual({ status: 0, stderr: '' });
    });
  }

  for (const [file, specifier] of FORBIDDEN) {
    it(`forbids ${file} to import ${specifier}`, () => {
      write(file, `import type { Thing } from '${specifier}';\n`);
      const { status, stderr } = check();
      expect(status).toBe(1);
      expect(stderr).toContain(`${file} must not import '${specifier}'`);
    });
  }

  for (const [kind, statement] of [
    ['a re-export', "export { thing } from '../audit/audit.service.ts';"],
    ['a dynamic import', "await import('../audit/audit.service.ts');"],
    ['an import for its effect', "import '../audit/audit.service.ts';"],
    ['a list over several lines', "import {\n  thing,\n} from '../audit/audit.service.ts';"],
  ] as const) {
    it(`finds ${kind}`, () => {
      write(`${LICENSES}/licenses.service.ts`, statement);
      expect(check().status).toBe(1);
    });
  }

  it('forbids circles, also of types', () => {
    write(`${RUNS}/a.ts`, "import type { B } from './b.ts';");
    write(`${RUNS}/b.ts`, "import { c } from './c.ts';");
    write(`${RUNS}/c.ts`, "import type { A } from './a.ts';");
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain(`${RUNS}/a.ts → ${RUNS}/b.ts → ${RUNS}/c.ts → ${RUNS}/a.ts`);
  });
});
