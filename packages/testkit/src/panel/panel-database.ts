import type { Role } from '@steward/contract';
import type { LicenseInput, RunTiming } from '@steward/panel/features';
import {
  createSecrets,
  createServices,
  loadConfig,
  openBackground,
  systemClock,
} from '@steward/panel/program';
import { registerSecret, testLogger } from '../logs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import type { Credentials } from './panel-client.ts';
import { newPassword } from './signed-in-user.ts';
import { OPERATOR, TEST_SECRET } from './test-panel.ts';

/**
 * Creates a database for panels that run as processes, on the shared PostgreSQL. Users and licenses are created in
 * this process, because a call of `steward` takes a second.
 */
export async function createPanelDatabase() {
  const database = await createTestDatabase();
  const secrets = createSecrets(TEST_SECRET);
  const services = createServices({
    ...database,
    secrets,
    clock: systemClock,
    load: { utilization: () => 0, isOverloaded: () => false, stop: () => {} },
    log: testLogger(),
    baseUrl: 'http://localhost',
    newSitesPerDay: 1000,
    watchHours: 24,
    getPanelUrl: () => 'http://localhost',
  });

  /** The environment for panels and workers. It allows private sites, because test sites run on this machine. */
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: database.dataDir,
    SECRET_KEY: TEST_SECRET,
    ALLOW_PRIVATE_SITES: 'true',
    // A ping would reach the sites of a test at any time.
    PING_MINUTES: '0',
  };

  return {
    ...database,
    services,
    env,
    /** Starts a worker in this process, with shorter waits than a worker process allows. */
    startWorker: (settings: NodeJS.ProcessEnv, timing: RunTiming) =>
      openBackground(
        { ...database, ...services, secrets, clock: systemClock, log: testLogger() },
        loadConfig({ ...env, ...settings }),
        { startsWorker: true, ...timing },
      ),
    async newUser(role: Role = 'owner', name = 'Olive'): Promise<Credentials> {
      const [email, password] = [`${name.toLowerCase()}@example.com`, newPassword()];
      await services.users.create({ email, name, role, password }, OPERATOR);
      return { email, password };
    },
    async newLicense(input: Partial<LicenseInput> = {}) {
      const defaults = { planName: 'Agency', siteLimit: 50, expiresAt: null, count: 1 };
      const [license] = await services.licenses.create({ ...defaults, ...input }, OPERATOR);
      if (!license) throw new Error('No license was created.');
      registerSecret(license.license_key);
      return license;
    },
  };
}

export type PanelDatabase = Awaited<ReturnType<typeof createPanelDatabase>>;
