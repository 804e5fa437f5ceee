import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

describe('migrations', () => {
  it('run once if two panels start together on an empty database', async () => {
    const database = await createTestDatabase({ empty: true });
    onTestFinished(() => database.drop());
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, SECRET_KEY: TEST_SECRET };
    const panels = await Promise.all([startPanel(env), startPanel(env)]);
    const migrated = panels.filter(({ output }) =>
      output.stderr.includes('Applied database migrations'),
    );
    expect(migrated).toHaveLength(1);
    for (const panel of panels) {
      expect((await panel.get('/readyz')).status).toBe(200);
      expect(await panel.end('SIGTERM')).toBe(0);
    }
  });
});
