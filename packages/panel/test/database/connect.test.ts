import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectDatabase, openPool } from '../../src/platform/database/connect.ts';
import { assertSameDatabase } from '../../src/platform/database/pooler.ts';

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

describe('DATABASE_URL and DATABASE_DIRECT_URL', () => {
  it('lead to the same database, also if their sessions have different time zones', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const open = (timeZone: string) => {
      const url = new URL(database.url);
      url.searchParams.set('options', `-c timezone=${timeZone}`);
      const { pool, close } = openPool({ connectionString: url.href }, testLogger());
      onTestFinished(close);
      return pool;
    };
    const [first, second] = [open('Asia/Tokyo'), open('UTC')];
    expect((await first.query('SHOW timezone')).rows).toEqual([{ TimeZone: 'Asia/Tokyo' }]);
    await assertSameDatabase(first, second);
  });
});
