import { createTestDatabase, type TestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { afterAll, beforeAll } from 'vitest';
import { type AuditLog, createAuditLog } from '../../../src/features/audit/audit-log.service.ts';

/**
 * Creates 300 records in groups of three with the same time, one minute apart. User 7 is the actor of every tenth. Ids increase
 * while times decrease, as with different clocks: the order must not depend on the ids.
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
    /** Adds records of two months earlier with the actor `many`. */
    addMany: (count: number) =>
      audit.database.pool.query(
        `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
         SELECT '2026-04-01T00:00:00Z', 'many', 'x', 'x', n, '{}' FROM generate_series(1, $1::int) n`,
        [count],
      ),
  });
}
