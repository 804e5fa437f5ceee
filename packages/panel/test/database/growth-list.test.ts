import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { expect, it } from 'vitest';

const PAGE = join(import.meta.dirname, '../../../../docs/security.md');

/** A new table must be in the list: with a limit, or among those that only users of the panel can make grow. */
it('docs/security.md lists who can make each table grow', async () => {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('\n## Growth\n');
  const [text = ''] = section.split('\n## ');
  const limited = text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => namesIn(line.split('|')[1] ?? ''));
  const byUsers = namesIn(text.slice(text.indexOf('Only users of the panel')));
  const others = ['pgboss', 'DATA_DIR'];
  const listed = [...limited, ...byUsers].filter((name) => !others.includes(name));

  const database = await createTestDatabase();
  const { rows } = await database.pool
    .query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    )
    .finally(database.drop);
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

const namesIn = (text: string): string[] =>
  [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
