import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const isWithoutWordPress = process.env.SKIP_WORDPRESS === '1';
if (isWithoutWordPress) process.stdout.write('SKIP_WORDPRESS=1: no test runs on WordPress.\n');
const isWithoutBrowser = process.env.SKIP_BROWSER === '1';
if (isWithoutBrowser) process.stdout.write('SKIP_BROWSER=1: no test runs in a browser.\n');

const TESTKIT = 'packages/testkit/src';
const POSTGRES = `${TESTKIT}/postgres/global-setup.ts`;
const WORDPRESS = `${TESTKIT}/wordpress/global-setup.ts`;
const SCREENS = `${TESTKIT}/screens-setup.ts`;
const BROWSER = `${TESTKIT}/browser/global-setup.ts`;

/** Processes and databases are started for real, on machines that may be busy. */
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
};

/**
 * Files at the same time. Every worker loads the modules of its tier again, so one more is worth it only
 * where tests wait for databases, processes and sites.
 */
const workers = { computing: Math.min(4, availableParallelism()), quick: 4, waiting: 4 };

/** Tiers run one after another: those of one order share the machine. */
const tier = (name: string, order: number, maxWorkers: number) => ({
  name,
  maxWorkers,
  sequence: { groupOrder: order },
  setupFiles: [`${TESTKIT}/check-logs.ts`],
  exclude: [
    '**/node_modules/**',
    ...(name === 'process' ? [] : ['**/process/**', '**/*.process.test.ts']),
    ...(isWithoutBrowser ? ['**/*.browser.test.ts'] : []),
  ],
});

/** Files that share modules: what one file leaves behind in them must not matter to the next. */
const shared = { isolate: false };

export default defineConfig({
  test: {
    coverage: {
      provider: 'v8',
      include: ['packages/{panel,contract,agent,web}/src/**/*.{ts,tsx}'],
      exclude: ['**/*.test.{ts,tsx}'],
    },
    projects: [
      {
        test: {
          ...tier('quick:unit', 2, workers.quick),
          ...shared,
          ...patience,
          include: [
            'packages/{contract,agent,panel,testkit}/src/**/*.test.ts',
            'packages/agent/test/*.test.ts',
            'test/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...tier('quick:web', 2, workers.quick),
          ...shared,
          include: ['packages/web/src/**/*.test.ts'],
        },
      },
      {
        test: {
          ...tier('quick:components', 1, workers.computing),
          ...shared,
          include: ['packages/web/{src,test}/**/*.test.tsx'],
          environment: 'jsdom',
          testTimeout: 30_000,
          setupFiles: ['packages/web/test/dom-setup.ts'],
        },
      },
      {
        test: {
          ...tier('quick:database', 2, workers.quick),
          ...shared,
          ...patience,
          include: ['packages/panel/test/**/*.test.ts'],
          globalSetup: POSTGRES,
        },
      },
      {
        test: {
          ...tier('process', 3, workers.waiting),
          ...shared,
          ...patience,
          include: ['packages/panel/test/process/*.test.ts', '{demo,e2e,test}/*.process.test.ts'],
          globalSetup: [POSTGRES, SCREENS],
        },
      },
      ...(isWithoutWordPress
        ? []
        : [
            {
              test: {
                ...tier('wordpress', 4, workers.waiting),
                ...patience,
                include: ['wordpress/test/**/*.test.ts'],
                globalSetup: [POSTGRES, SCREENS, WORDPRESS, ...(isWithoutBrowser ? [] : [BROWSER])],
              },
            },
          ]),
      ...(isWithoutBrowser
        ? []
        : [
            {
              test: {
                ...tier('browser', 5, workers.waiting),
                ...patience,
                ...shared,
                include: ['e2e/*.browser.test.ts'],
                globalSetup: [POSTGRES, SCREENS, BROWSER],
              },
            },
          ]),
    ],
  },
});
