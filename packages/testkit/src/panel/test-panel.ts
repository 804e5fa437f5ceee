import type { LicenseInput, PasswordHashing } from '@steward/panel/features';
import {
  type Background,
  buildApp,
  type Config,
  createSecrets,
  createServices,
  type LoadMonitor,
  loadConfig,
  openBackground,
  systemClock,
} from '@steward/panel/program';
import { afterAll, beforeAll } from 'vitest';
import { registerSecret, testLogger } from '../logs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { checkResponses } from './check-responses.ts';
import { QUICK_HASHING } from './quick-hashing.ts';

export const TEST_SECRET = 'a secret of at least thirty-two characters';
export const OPERATOR = { actor: 'system', via: 'command_line' } as const;

export const SHORT_DELAYS = {
  connect: [0.05, 0.1],
  busy: [0.1, 0.2],
  reconcile: [0.05, 0.1],
  recheck: 0.1,
  verdict: 0.1,
  reconcileLimit: { update: 2, plugin_action: 2 },
};

/** Shorter than in production: how long a stopping worker waits for sites that hang, and how often workers poll. */
const SHORT_WAITS = {
  stopWithinMs: 300,
  pollSeconds: 0.5,
  health: { pollSeconds: 0.5 },
  watches: { pollSeconds: 0.5 },
  notifications: { pollMs: 500, queuePollSeconds: 1, retryDelaySeconds: 1 },
  rollouts: { pollMs: 500 },
};

/**
 * As rarely as in production, for tests in which notifications of the database wake the worker. Each poll costs CPU time of
 * the whole test run.
 */
export const RARE_POLLS = {
  pollSeconds: 2,
  health: { pollSeconds: 2 },
  watches: { pollSeconds: 2 },
  notifications: {},
  rollouts: {},
};

/** For tests of rollouts and of the time after an update: they move the clock, which wakes no worker. */
export const FREQUENT_POLLS = {
  ...RARE_POLLS,
  health: { pollSeconds: 0.1 },
  watches: { pollSeconds: 0.1 },
  rollouts: { pollMs: 100, gatherMs: 10 },
};

/** Values that a test can change while the panel runs. */
export type TestFakes = {
  now: Date;
  overloaded: boolean;
  /** The address of the panel in links. Null: BASE_URL. */
  panelUrl: string | null;
};

type AppDependencies = Parameters<typeof buildApp>[1];
type BackgroundTiming = Omit<Parameters<typeof openBackground>[2], 'startsWorker' | 'delays'>;

type PanelOptions = {
  /** Starts a worker for runs. */
  startsWorker?: boolean;
  /** The clock advances 1 ms each time the panel reads it. */
  advancesClock?: boolean;
  /** The panel uses the real time instead of `fakes.now`, as the programs that call it do. */
  usesSystemClock?: boolean;
  hashing?: PasswordHashing;
  /** Replaces the short waits of tests. */
  timing?: Partial<BackgroundTiming>;
  streamTiming?: AppDependencies['streamTiming'];
};

/** Creates a whole panel in this process, with its own database. It does not listen on a port. */
export async function createTestPanel(
  config: Partial<Config> = {},
  {
    startsWorker = false,
    advancesClock = false,
    usesSystemClock = false,
    hashing = QUICK_HASHING,
    timing = {},
    streamTiming,
  }: PanelOptions = {},
) {
  const database = await createTestDatabase();
  const fakes: TestFakes = {
    now: new Date('2026-06-01T12:00:00Z'),
    overloaded: false,
    panelUrl: null,
  };
  const fakeClock = {
    now() {
      if (advancesClock) fakes.now = new Date(fakes.now.getTime() + 1);
      return new Date(fakes.now);
    },
  };
  const clock = usesSystemClock ? systemClock : fakeClock;
  const load: LoadMonitor = {
    utilization: () => 0,
    isOverloaded: () => fakes.overloaded,
    stop: () => {},
  };
  const secrets = createSecrets(TEST_SECRET);
  const { dataDir } = database;
  const wholeConfig = {
    ...loadConfig({ RATE_LIMIT: 'off', PING_MINUTES: '0' }),
    dataDir,
    ...config,
  };
  const log = testLogger();
  const services = createServices({
    ...database,
    secrets,
    clock,
    load,
    log,
    hashing,
    getPanelUrl: () => fakes.panelUrl ?? wholeConfig.baseUrl,
    ...wholeConfig,
  });
  const deps = { ...database, ...services, secrets, clock, log };
  const background = await openBackground(deps, wholeConfig, {
    startsWorker,
    ...SHORT_WAITS,
    ...timing,
    delays: SHORT_DELAYS,
  });
  const app = await buildApp(wholeConfig, {
    db: database.db,
    services,
    runs: background.runs,
    load,
    log,
    secrets,
    clock,
    draining: AbortSignal.any([]),
    actionGraceMs: SHORT_WAITS.stopWithinMs,
    ...(streamTiming && { streamTiming }),
  });
  checkResponses(app);
  await app.ready();
  const workers: Background[] = [];

  return {
    app,
    fakes,
    services,
    runs: background.runs,
    secrets,
    db: database.db,
    pool: database.pool,
    databaseUrl: database.url,
    dataDir,
    executeAsTableOwner: database.executeAsTableOwner,

    async post(path: string, body: unknown) {
      const response = await app.inject({ method: 'POST', url: path, payload: body as object });
      const payload = response.json();
      for (const secret of [payload.activation_token, payload.site_key]) {
        if (secret) registerSecret(secret);
      }
      return { status: response.statusCode, body: payload, headers: response.headers };
    },

    async license(input: Partial<LicenseInput> = {}) {
      const defaults = { planName: 'Agency', siteLimit: 3, expiresAt: null, count: 1 };
      const [license] = await services.licenses.create({ ...defaults, ...input }, OPERATOR);
      if (!license) throw new Error('No license was created.');
      registerSecret(license.license_key);
      return license;
    },

    suspend: (id: number) => services.licenses.suspend(id, OPERATOR),
    revoke: (id: number) => services.licenses.revoke(id, OPERATOR),
    rotateKey: (id: number, request = { oldKeyDays: 14 }) =>
      services.keyRotation.rotate(id, request, OPERATOR),
    setLimit: (id: number, limit: number | null) => services.licenses.setLimit(id, limit, OPERATOR),

    /** Starts another worker, as if in a separate process. */
    async startWorker(delays = SHORT_DELAYS): Promise<Background> {
      const worker = await openBackground(deps, wholeConfig, {
        startsWorker: true,
        ...SHORT_WAITS,
        ...timing,
        delays,
      });
      workers.push(worker);
      return worker;
    },

    async close() {
      await app.close();
      for (const worker of workers) await worker.stop();
      await background.stop();
      await database.drop();
    },
  };
}

export type TestPanel = Awaited<ReturnType<typeof createTestPanel>>;

/** Starts one panel for all tests of a file. Each test creates its own licenses. */
export function useTestPanel(config: Partial<Config> = {}, options: PanelOptions = {}): TestPanel {
  const holder = {} as TestPanel;
  beforeAll(async () => {
    Object.assign(holder, await createTestPanel(config, options));
  });
  afterAll(() => holder.close?.());
  return holder;
}

export const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };

let siteCount = 0;
export function newSiteUrl(): string {
  return `https://site-${++siteCount}.example.com`;
}
