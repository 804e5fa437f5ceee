import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './packages/testkit/src/long-files-first.ts';

const skipsWordPress = process.env.SKIP_WORDPRESS === '1';
if (skipsWordPress) process.stdout.write('SKIP_WORDPRESS=1: skipping the WordPress tests.\n');
const skipsBrowser = process.env.SKIP_BROWSER === '1';
if (skipsBrowser) process.stdout.write('SKIP_BROWSER=1: skipping the browser tests.\n');

/** Panels and commands that tests start load their modules in half the time. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

const TESTKIT = 'packages/testkit/src';
const POSTGRES = `${TESTKIT}/postgres/global-setup.ts`;
const WORDPRESS = `${TESTKIT}/wordpress/global-setup.ts`;
const SCREENS = `${TESTKIT}/screens-setup.ts`;
const PROGRAM = `${TESTKIT}/program-setup.ts`;
const BROWSER = `${TESTKIT}/browser/global-setup.ts`;

/** Long timeouts: tests start real processes and databases, and the machine may be busy. */
const longTimeouts = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
};

/**
 * Test files that run in parallel. Every worker loads the modules of its tier again, so more workers help only
 * where tests wait for databases, processes and sites.
 */
const workers = { computing: Math.min(4, availableParallelism()), waiting: 4 };

/** Folders whose tests need a database of their own or run a command in each test, so that most of them are slow. */
const SLOW_FOLDERS = ['packages/panel/test/{audit,commands}/*.test.ts'];

/** Tiers with the same order share the workers: no worker is idle while the last files of a tier run. */
const tier = (name: string, order: number, maxWorkers: number) => ({
  name,
  maxWorkers,
  sequence: { groupOrder: order },
  setupFiles: [`${TESTKIT}/check-logs.ts`],
  exclude: [
    '**/node_modules/**',
    ...(name === 'process' ? [] : ['**/process/**', '**/*.process.test.ts', ...SLOW_FOLDERS]),
    ...(name === 'operate' ? [] : ['**/operate/**']),
    ...(skipsBrowser ? ['**/*.browser.test.ts'] : []),
  ],
});

/** The files of a worker share modules, so a file must not leave state in them. */
const sharedModules = { isolate: false };

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    reporters: ['default', `./${TESTKIT}/failures-reporter.ts`],
    coverage: {
      provider: 'v8',
      include: ['packages/{panel,contract,agent,web}/src/**/*.{ts,tsx}'],
      exclude: ['**/*.test.{ts,tsx}'],
    },
    projects: [
      {
        test: {
          ...tier('quick:unit', 2, workers.waiting),
          ...sharedModules,
          ...longTimeouts,
          include: [
            'packages/{contract,agent,panel,testkit}/src/**/*.test.ts',
            'packages/agent/test/*.test.ts',
            'test/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...tier('quick:web', 2, workers.waiting),
          ...sharedModules,
          ...longTimeouts,
          include: ['packages/web/src/**/*.test.ts'],
        },
      },
      {
        test: {
          ...tier('components', 1, workers.computing),
          ...sharedModules,
          include: ['packages/web/{src,test}/**/*.test.tsx'],
          ...longTimeouts,
          environment: 'jsdom',
          setupFiles: ['packages/web/test/dom-setup.ts'],
        },
      },
      {
        test: {
          ...tier('quick:database', 2, workers.waiting),
          ...sharedModules,
          ...longTimeouts,
          include: ['packages/panel/test/**/*.test.ts'],
          globalSetup: POSTGRES,
        },
      },
      {
        test: {
          ...tier('operate', 3, workers.waiting),
          ...sharedModules,
          ...longTimeouts,
          include: ['packages/panel/test/operate/*.test.ts'],
          globalSetup: [POSTGRES, SCREENS, PROGRAM],
        },
      },
      {
        test: {
          ...tier('process', 3, workers.waiting),
          ...sharedModules,
          ...longTimeouts,
          include: [
            'packages/panel/test/process/*.test.ts',
            'packages/panel/test/**/*.process.test.ts',
            ...SLOW_FOLDERS,
            '{demo,e2e,test,packages/agent/test}/*.process.test.ts',
          ],
          globalSetup: [POSTGRES, SCREENS, PROGRAM],
        },
      },
      ...(skipsWordPress
        ? []
        : [
            {
              test: {
                ...tier('wordpress', 3, workers.waiting),
                ...longTimeouts,
                ...sharedModules,
                include: ['wordpress/test/**/*.test.ts'],
                globalSetup: [
                  POSTGRES,
                  SCREENS,
                  PROGRAM,
                  WORDPRESS,
                  ...(skipsBrowser ? [] : [BROWSER]),
                ],
              },
            },
          ]),
      ...(skipsBrowser
        ? []
        : [
            {
              test: {
                ...tier('browser', 3, workers.waiting),
                ...longTimeouts,
                ...sharedModules,
                include: ['e2e/*.browser.test.ts'],
                globalSetup: [POSTGRES, SCREENS, PROGRAM, BROWSER],
              },
            },
          ]),
    ],
  },
});
