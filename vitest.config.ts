import { rmSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { LOG_DIR } from './packages/panel/test/support/logs.ts';

// The last test reads what the panels of this run have logged, and of no other.
rmSync(LOG_DIR, { recursive: true, force: true });

// Processes and databases are started for real, on machines that may be busy.
const patience = { testTimeout: 120_000, hookTimeout: 120_000 };
// Numbered from 1: Vitest runs group 0 after all others where it has a single worker.
const first = { sequence: { groupOrder: 1 } };
const last = { sequence: { groupOrder: 2 } };
const isWithoutWordPress = process.env.SKIP_WORDPRESS === '1';
if (isWithoutWordPress) process.stdout.write('SKIP_WORDPRESS=1: no test runs on WordPress.\n');
const isWithoutBrowser = process.env.SKIP_BROWSER === '1';
if (isWithoutBrowser) process.stdout.write('SKIP_BROWSER=1: no test runs in a browser.\n');
const withBrowser = { exclude: isWithoutBrowser ? ['**/*.browser.test.ts'] : [] };
const LOGS_TEST = 'test/logs-hold-no-secrets.test.ts';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', include: ['packages/contract/test/**/*.test.ts'], ...first } },
      { test: { name: 'web', include: ['packages/web/test/**/*.test.ts'], ...first } },
      {
        test: {
          name: 'panel',
          include: ['packages/panel/test/**/*.test.ts'],
          globalSetup: 'packages/panel/test/support/global-setup.ts',
          ...patience,
          ...first,
        },
      },
      {
        test: {
          name: 'agent',
          include: ['packages/agent/test/**/*.test.ts'],
          ...patience,
          ...first,
        },
      },
      ...(isWithoutWordPress
        ? []
        : [
            {
              test: {
                name: 'wordpress',
                include: ['wordpress/test/**/*.test.ts'],
                globalSetup: 'wordpress/test-bed/global-setup.ts',
                ...withBrowser,
                ...patience,
                ...first,
              },
            },
          ]),
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          ...(isWithoutBrowser ? {} : { globalSetup: 'e2e/support/global-setup.ts' }),
          ...withBrowser,
          ...patience,
          ...first,
        },
      },
      {
        test: {
          name: 'project',
          include: ['test/**/*.test.ts'],
          exclude: [LOGS_TEST],
          ...patience,
          ...first,
        },
      },
      { test: { name: 'logs', include: [LOGS_TEST], ...last } },
    ],
  },
});
