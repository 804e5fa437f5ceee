import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { expect, it, onTestFinished } from 'vitest';
import { openChannels } from '../../src/platform/channels.ts';
import { openPool } from '../../src/platform/database/connect.ts';

const SESSIONS = `FROM pg_stat_activity WHERE datname = current_database() AND usename = 'steward_app'`;

it('the LISTEN connection is pinged, and the schema is checked after a reconnection', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const superuser = openPool({ connectionString: database.superuserUrl }, testLogger());
  const { directPool, close } = openPool({ connectionString: database.runtimeUrl }, testLogger());
  let checks = 0;
  const assertSchema = async () => {
    checks += 1;
  };
  const options = { directPool, log: testLogger(), assertSchema, pingMs: 20 };
  const channels = await openChannels(options);
  onTestFinished(async () => {
    await channels.close();
    await Promise.all([superuser.close(), close()]);
  });
  await channels.listen('test');
  const readLastStatement = async () =>
    (await superuser.pool.query(`SELECT query ${SESSIONS}`)).rows[0]?.query;
  await expect.poll(readLastStatement).toBe('SELECT 1');
  expect(checks).toBe(0);
  await superuser.pool.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`);
  await expect.poll(() => checks).toBe(1);
});
