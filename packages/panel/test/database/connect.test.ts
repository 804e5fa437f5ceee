import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectDatabase } from '../../src/platform/database/connect.ts';

describe('a transaction of a suspended process', () => {
  it.each([
    [10, '6666ms'],
    [30, '20s'],
    [300, '20s'],
  ])('ends before a lease of %i seconds: after %s', async (leaseSeconds, limit) => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const config = {
      databaseUrl: database.url,
      migrationDatabaseUrl: null,
      directDatabaseUrl: null,
      replicaDatabaseUrl: null,
      dataDir: '/nowhere',
      leaseSeconds,
    };
    const connection = await connectDatabase(config, testLogger());
    const { rows } = await connection.pool.query('SHOW idle_in_transaction_session_timeout');
    await connection.close();
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: limit }]);
  });
});
