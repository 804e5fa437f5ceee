import { readFile } from 'node:fs/promises';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/platform/database/migrate.ts';

const MIGRATION = new URL('../../migrations/0035_schedule_failures.sql', import.meta.url);

it('the migration replaces stored sentences with codes', async () => {
  const { db, pool, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  await migrate(db);
  // Only this step: later migrations stay.
  await pool.query('ALTER TABLE schedules RENAME COLUMN last_error_code TO last_error');
  const sentences = [
    'No site matches the selection.',
    'More than 10,000 sites match. Choose fewer sites.',
    'The user who created the schedule is disabled or deleted.',
    'The user who created the schedule may only view sites.',
    'Shop 2.0 is in quarantine. An owner can lift the quarantine.',
    'Some other sentence.',
    null,
  ];
  await pool.query(
    `INSERT INTO schedules (name, selection, types, weekdays, opens_at, closes_at, time_zone, in_site_zone, in_rings,
       enabled, last_error, origin, created_at, active_since)
     SELECT 'Nightly', '{}', '{plugin}', '{1}', '02:00', '05:00', 'UTC', false, false, true, sentence, '{}', now(), now()
     FROM unnest($1::text[]) WITH ORDINALITY AS each (sentence, n) ORDER BY n`,
    [sentences],
  );

  await pool.query(await readFile(MIGRATION, 'utf8'));

  const rows = await db.selectFrom('schedules').select('last_error_code').orderBy('id').execute();
  expect(rows.map(({ last_error_code }) => last_error_code)).toEqual([
    'no_matching_site',
    'too_many_sites',
    'user_disabled',
    'user_may_not_update',
    'held_version',
    null,
    null,
  ]);
});
