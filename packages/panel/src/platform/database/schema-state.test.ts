import { describe, expect, it } from 'vitest';
import { BASELINE, REPLACED_MIGRATIONS } from './replaced-migrations.ts';
import { leaveOutReplaced, RefusedSchemaError } from './schema-state.ts';

const DATABASE = { subject: 'The database', command: 'npx steward migrate' };

describe('leaveOutReplaced', () => {
  it.each([
    ['an empty database', [], []],
    ['a new database', [BASELINE, '9999_later'], [BASELINE, '9999_later']],
    ['a database from before the baseline', [...REPLACED_MIGRATIONS, BASELINE], [BASELINE]],
    ['another history', ['0002_from_a_fork'], ['0002_from_a_fork']],
  ])('returns the other migrations of %s', (_, applied, expected) => {
    expect(leaveOutReplaced(applied, DATABASE)).toEqual(expected);
  });

  it('refuses a database without the last of these migrations, and names the commit to run first', () => {
    const applied = REPLACED_MIGRATIONS.slice(0, 40);
    const leaveOut = () => leaveOutReplaced(applied, DATABASE);
    expect(leaveOut).toThrow(RefusedSchemaError);
    expect(leaveOut).toThrow(
      /^The database has the migrations up to 0040_audit_partitions\. .* commit 5646c365 .* npx steward migrate/,
    );
  });
});

describe('the replaced migrations', () => {
  it('come before the baseline, in order', () => {
    expect([...REPLACED_MIGRATIONS, BASELINE]).toEqual(
      [...REPLACED_MIGRATIONS, BASELINE].toSorted(),
    );
  });
});
