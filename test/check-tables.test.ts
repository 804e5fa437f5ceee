// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are source code.

import { describe, expect, it } from 'vitest';
import { findTableProblems } from '../tools/table-problems.ts';

const PANEL = 'packages/panel/src';
const SCRATCH = `${PANEL}/features/scratch/scratch.repository.ts`;

/** The features `sites` and `runs`, and a feature `scratch` that may read the published sites. */
const FEATURES: [string, string][] = [
  [
    `${PANEL}/features/sites/tables.ts`,
    `export type SiteTables = { sites: { id: number; secret: string }; site_tags: { site_id: number } };
     export type PublishedSiteTables = { sites: ReadOnly<SiteTables['sites'], 'id'> };`,
  ],
  [`${PANEL}/features/runs/tables.ts`, 'export type RunTables = { runs: { id: number } };'],
  [
    `${PANEL}/features/scratch/tables.ts`,
    'export type ScratchTables = { notes: { id: number; site_id: number } };',
  ],
  [
    `${PANEL}/features/scratch/database.ts`,
    `import { openTables } from '../../platform/database/handles.ts';
     import type { PublishedSiteTables } from '../sites/tables.ts';
     import type { ScratchTables } from './tables.ts';
     export const tables = openTables<ScratchTables & PublishedSiteTables>();`,
  ],
];

const findProblems = (source: string, file = SCRATCH) =>
  findTableProblems(new Map([...FEATURES, [file, source]])).map((problem) =>
    problem.replace(`${file} `, '').replace(/\. .*/, ''),
  );

describe('a feature may', () => {
  it.each([
    'sql`INSERT INTO notes (site_id) SELECT id FROM sites`',
    'sql`UPDATE notes n SET site_id = s.id FROM sites s WHERE s.id = n.site_id`',
    'sql`SELECT FROM notes n JOIN sites s ON s.id = n.site_id FOR UPDATE OF n`',
    'sql`INSERT INTO notes VALUES (1) ON CONFLICT (id) DO UPDATE SET site_id = 2`',
    'sql`WITH mine AS (SELECT id FROM notes) SELECT * FROM mine`',
    'sql`SELECT * FROM notes /* and FROM runs */`',
    'sql`SELECT * FROM notes WHERE runs IS DISTINCT FROM runs`',
    'sql`SELECT * FROM notes n JOIN sites s USING (runs) ORDER BY runs`',
    'sql`SELECT version FROM pgboss.runs`',
    "sql`SELECT 'FROM runs' -- and FROM runs\n FROM notes`",
    "tables(trx).insertInto('notes').values({ id: 1 })",
    "tables(db).selectFrom('notes as n').innerJoin('sites as s', 's.id', 'n.site_id').forUpdate('n')",
    "throw new Error('Delete runs from sites, or update runs.')",
    "['runs'].includes(name)",
  ])('%s', (source) => {
    expect(findProblems(source)).toEqual([]);
  });
});

describe('a feature must not', () => {
  it.each([
    ['sql`SELECT * FROM runs`', 'reads the table runs of runs'],
    ['sql`select * from runs`', 'reads the table runs of runs'],
    ['sql<{ id: number }>`SELECT * FROM "runs" r`', 'reads the table runs of runs'],
    ['sql`SELECT * FROM public.runs`', 'reads the table runs of runs'],
    ['sql`SELECT * FROM notes, runs`', 'reads the table runs of runs'],
    [
      'sql`SELECT * FROM notes n JOIN sites s ON true, LATERAL (SELECT FROM runs) r`',
      'reads the table runs of runs',
    ],
    ['sql`SELECT * FROM (notes CROSS JOIN runs)`', 'reads the table runs of runs'],
    [
      'sql`EXISTS (SELECT FROM site_tags WHERE site_id = ${id})`',
      'reads the table site_tags of sites',
    ],
    ['sql`LEFT JOIN runs r ON r.id = ${sql.ref(column)}`', 'reads the table runs of runs'],
    ['sql`DELETE FROM notes USING runs WHERE true`', 'reads the table runs of runs'],
    ['sql`SELECT FROM sites FOR UPDATE`', 'locks the table sites of sites'],
    [
      'sql`SELECT FROM notes n JOIN sites s ON true FOR NO KEY UPDATE OF n, s`',
      'locks the table sites of sites',
    ],
    ['sql`LOCK TABLE sites`', 'locks the table sites of sites'],
    ['sql`UPDATE sites SET secret = 1`', 'writes the table sites of sites'],
    ['sql`UPDATE ONLY sites SET secret = 1`', 'writes the table sites of sites'],
    ['sql`INSERT INTO sites DEFAULT VALUES`', 'writes the table sites of sites'],
    ['sql`DELETE FROM sites WHERE id = ${id}`', 'writes the table sites of sites'],
    [
      'sql`WITH gone AS (DELETE FROM sites RETURNING id) SELECT * FROM gone`',
      'writes the table sites of sites',
    ],
    [
      'sql`MERGE INTO sites USING notes ON true WHEN MATCHED THEN DELETE`',
      'writes the table sites of sites',
    ],
    ['sql`TRUNCATE sites`', 'writes the table sites of sites'],
    ['sql`TRUNCATE notes, sites`', 'writes the table sites of sites'],
    ['sql`WITH sites AS (UPDATE sites SET id = 1) SELECT 1`', 'writes the table sites of sites'],
    ['const table = sql`runs r`;', 'reads the table runs of runs'],
    ['const more = sql`, runs r`;', 'reads the table runs of runs'],
    ['tables(db).deleteFrom(`sites`)', 'writes the table sites of sites'],
    ['sql`ALTER TABLE sites ADD x int`', 'writes the table sites of sites'],
    ['sql`SELECT * FROM ${sql.table("sites")}`', 'writes the table sites of sites'],
    ["sql.raw('select * from runs')", 'reads the table runs of runs'],
    ["pool.query('delete from sites')", 'writes the table sites of sites'],
    ['const statement = `SELECT id FROM runs`;', 'reads the table runs of runs'],
    ["tables(db).selectFrom('runs as r')", 'reads the table runs of runs'],
    ["tables(db).selectFrom(['notes', 'runs'])", 'reads the table runs of runs'],
    ["tables(db).selectFrom('notes').leftJoin('runs', 'a', 'b')", 'reads the table runs of runs'],
    ["tables(trx).insertInto('sites').values({})", 'writes the table sites of sites'],
    ["trx.deleteFrom('sites')", 'writes the table sites of sites'],
    ["tables(db).selectFrom('sites').select('id').forUpdate()", 'locks the table sites of sites'],
    [
      "const select = (db) => tables(db).selectFrom('sites'); select(db).where('id', '=', 1).forUpdate()",
      'locks the table sites of sites',
    ],
    [
      "const query = (db) => { const rows = tables(db).selectFrom('sites'); return rows.forUpdate(); }",
      'locks the table sites of sites',
    ],
    [
      "const find = (db) => tables(db).selectFrom('sites as s').$if(lock, (query) => query.forNoKeyUpdate('s'))",
      'locks the table sites of sites',
    ],
  ])('%s', (source, problem) => {
    expect(findProblems(source)).toEqual(
      expect.arrayContaining([expect.stringContaining(problem)]),
    );
  });

  it('open tables outside of its database.ts', () => {
    const source = "import { openTables } from '../../platform/database/handles.ts';";
    expect(findProblems(source)).toEqual(['must not import openTables']);
  });

  it('import the tables of another feature instead of what it publishes', () => {
    const file = `${PANEL}/features/other/database.ts`;
    const source = "import type { SiteTables } from '../sites/tables.ts';";
    expect(findProblems(source, file)).toEqual(['must not import SiteTables']);
  });
});

it('code outside of features uses no table', () => {
  expect(findProblems('sql`SELECT FROM sites`', `${PANEL}/commands/scratch.ts`)).toEqual([
    'reads the table sites of sites',
  ]);
});

it('a type of tables must list them, so that none is unchecked', () => {
  const file = `${PANEL}/features/other/tables.ts`;
  const source = 'export type OtherTables = First & Second;';
  expect(findTableProblems(new Map([...FEATURES, [file, source]]))).toEqual([
    `${file}: OtherTables must list its tables.`,
  ]);
});

it('a table has one owner', () => {
  const source = 'export type OtherTables = { sites: { id: number } };';
  const file = `${PANEL}/features/other/tables.ts`;
  expect(findTableProblems(new Map([...FEATURES, [file, source]]))).toEqual([
    `${file}: the table sites has two owners.`,
  ]);
});
