import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Database, openTables, type ReadOnly } from './handles.ts';

type SiteTables = { sites: { id: number; secret: string }; site_keys: { id: number } };
type PublishedSiteTables = { sites: ReadOnly<SiteTables['sites'], 'id'> };
type NoteTables = { notes: { id: number; text: string } };

const tables = openTables<NoteTables & PublishedSiteTables>();

const db: Database = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

// `npm run check` fails if one of the marked lines compiles.
describe('the tables that a feature sees', () => {
  it('are its own ones, and the columns that others publish', () => {
    const query = tables(db)
      .selectFrom('notes')
      .innerJoin('sites', 'sites.id', 'notes.id')
      .select(['notes.text', 'sites.id']);
    expect(query.compile().sql).toContain('from "notes" inner join "sites"');
  });

  it('are not those of another feature', () => {
    const queries = () => {
      // @ts-expect-error The table is not published.
      tables(db).selectFrom('site_keys').selectAll();
      // @ts-expect-error The column is not published.
      tables(db).selectFrom('sites').select('secret');
      // @ts-expect-error Only the owner writes the table.
      tables(db).insertInto('sites').values({ id: 1 });
      // @ts-expect-error Only the owner writes the table.
      tables(db).updateTable('sites').set({ id: 1 });
      // @ts-expect-error A connection shows no tables.
      db.selectFrom('notes');
    };
    expect(queries).not.toThrow();
  });
});
