import { createTestDatabase, type TestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { afterAll, beforeAll } from 'vitest';
import { type AuditLog, createAuditLog } from '../../../src/features/audit/audit-log.service.ts';

/**
 * 300 records, of which three at a time share a moment, a minute apart. Every tenth is by user 7.
 * Their ids run against the time, as where clocks differ: nothing may rely on the two going together.
 */
export function useAuditRecords() {
  const audit = {} as { database: TestDatabase; log: AuditLog };
  beforeAll(async () => {
    const database = await createTestDatabase();
    const log = createAuditLog({ db: database.db, scanLimit: { text: 100, columns: 100 } });
    Object.assign(audit, { database, log });
    await database.pool.query(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, site_id, context, ip, request_id)
       SELECT timestamptz '2026-06-01T12:00:00Z' - (n / 3) * interval '1 minute',
              CASE WHEN n % 10 = 0 THEN '7' ELSE 'system' END,
              CASE WHEN n % 2 = 0 THEN 'activate' ELSE 'suspend' END,
              CASE WHEN n % 2 = 0 THEN 'activation' ELSE 'license' END,
              n, CASE WHEN n % 2 = 0 THEN n % 20 END,
              jsonb_build_object('n', n, 'site_url', 'shop-' || n || '.example.com'),
              CASE WHEN n % 2 = 0 THEN '203.0.113.' || n % 20 END, 'request-' || n
       FROM generate_series(0, 299) n`,
    );
  });
  afterAll(() => audit.database.drop());

  return Object.assign(audit, {
    /** Of two months before, by somebody called many. */
    addMany: (count: number) =>
      audit.database.pool.query(
        `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
         SELECT '2026-04-01T00:00:00Z', 'many', 'x', 'x', n, '{}' FROM generate_series(1, $1::int) n`,
        [count],
      ),
  });
}
