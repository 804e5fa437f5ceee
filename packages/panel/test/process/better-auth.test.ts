import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

describe('better-auth', () => {
  it('sends no telemetry, even if its own variables enable it', async () => {
    const received: string[] = [];
    const collector = createServer((request, response) => {
      received.push(`${request.method} ${request.url}`);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    onTestFinished(() => void collector.close());
    const { port } = collector.address() as AddressInfo;
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const process = await startPanel({
      DATABASE_URL: database.url,
      DATA_DIR: database.dataDir,
      SECRET_KEY: TEST_SECRET,
      NODE_ENV: 'production',
      BETTER_AUTH_TELEMETRY: '1',
      BETTER_AUTH_TELEMETRY_ENDPOINT: `http://127.0.0.1:${port}/telemetry`,
    });
    const unknownUser = { email: 'nobody@example.com', password: 'a wrong password' };
    expect((await process.post('/auth/sign-in/email', unknownUser)).status).toBe(401);
    expect(await process.end('SIGTERM')).toBe(0);
    expect(received).toEqual([]);
  });
});
