import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [{ test: { name: 'contract', include: ['packages/contract/test/**/*.test.ts'] } }],
  },
});
