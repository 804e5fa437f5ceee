import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', include: ['packages/contract/test/**/*.test.ts'] } },
      {
        test: {
          name: 'panel',
          include: ['packages/panel/test/**/*.test.ts'],
          globalSetup: 'packages/panel/test/support/global-setup.ts',
          // Processes and databases are started for real, on machines that may be busy.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
