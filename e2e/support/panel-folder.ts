import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for a panel and the environment that names it. Sites of tests are on this machine. */
export function panelFolder(settings: NodeJS.ProcessEnv) {
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-e2e-'));
  const env = { DATA_DIR: dataDir, ALLOW_PRIVATE_SITES: 'true', ...settings };
  return { dataDir, env };
}
