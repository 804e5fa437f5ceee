import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { newSiteUrl, TEST_SECRET, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expect } from 'vitest';
import { createAuditedDatabase } from './audited-database.ts';

/** Creates an audited database, and runs the `steward` command on it. */
export async function createAuditedPanel() {
  const database = await createAuditedDatabase();
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, SECRET_KEY: TEST_SECRET };
  const steward = (...args: string[]) => runSteward(args, env);
  const verify = async (...args: string[]) => {
    const { code, stdout, stderr } = await steward('audit', 'verify', '--json', ...args);
    expect(stderr).toBe('');
    return { code, ...JSON.parse(stdout) };
  };
  /** Creates an unlimited license and returns a function that builds activation requests for new sites. */
  const siteRequests = async () => {
    const args = ['license', 'create', '--plan', 'Pro', '--site-limit', 'unlimited', '--json'];
    const { license_key } = JSON.parse((await steward(...args)).stdout);
    return () => ({ license_key, site_url: newSiteUrl(), ...VERSIONS });
  };
  return { ...database, env, steward, verify, siteRequests };
}
