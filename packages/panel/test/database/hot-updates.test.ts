import { inventory, newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

// An update that changes no indexed column (HOT) writes no index and leaves nothing for autovacuum. A new index on a column
// that check-ins or reports change would make each of them write all indexes of the table.
describe('no index has a column that is changed', () => {
  const panel = useTestPanel();

  const readRow = async (table: string) => {
    const { rows } = await panel.pool.query(`SELECT to_jsonb(t) AS row FROM ${table} t`);
    expect(rows).toHaveLength(1);
    return rows[0].row as Record<string, unknown>;
  };

  async function findChangedColumns(table: string, work: () => Promise<unknown>) {
    const before = await readRow(table);
    await work();
    const after = await readRow(table);
    const isChanged = (name: string) =>
      JSON.stringify(before[name]) !== JSON.stringify(after[name]);
    return Object.keys(after).filter(isChanged);
  }

  /** The columns, also those in expressions and conditions of indexes. */
  async function listIndexedColumns(table: string): Promise<string[]> {
    const { rows } = await panel.pool.query(
      `SELECT DISTINCT a.attname AS name FROM pg_index i
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND (a.attnum = ANY(i.indkey) OR EXISTS (
         SELECT FROM pg_depend d WHERE d.objid = i.indexrelid AND d.refobjid = i.indrelid
           AND d.refobjsubid = a.attnum))
       WHERE i.indrelid = $1::regclass`,
      [table],
    );
    return rows.map(({ name }) => name);
  }

  const url = 'https://shop.example.com';
  const report = (version: string) => {
    const { plugins, ...others } = inventory();
    return { ...others, plugins: plugins.map((plugin) => ({ ...plugin, version })) };
  };

  it('by check-ins, reports of one day, and the usage of a license', async () => {
    const { addSite, check, post } = await newLicenseWithSites(panel);
    await addSite({ url });
    await post('/api/v1/site/verify', { site_url: url, inventory: report('1.0') });
    const advance = () => {
      panel.fakes.now = new Date(panel.fakes.now.getTime() + 60_000);
    };
    const changes: [table: string, column: string, work: () => Promise<unknown>][] = [
      ['license_activations', 'last_check_at', () => check(url)],
      [
        'sites',
        'inventory',
        () => post('/api/v1/site/verify', { site_url: url, inventory: report('1.1') }),
      ],
      ['licenses', 'counted_sites', () => post('/api/v1/license/deactivate', { site_url: url })],
      [
        'licenses',
        'counted_sites',
        () => post('/api/v1/license/activate', { site_url: url, ...VERSIONS }),
      ],
    ];
    for (const [table, column, work] of changes) {
      advance();
      const changed = await findChangedColumns(table, work);
      expect(changed).toContain(column);
      const indexed = await listIndexedColumns(table);
      expect(indexed).toContain('id' in (await readRow(table)) ? 'id' : 'site_id');
      expect(changed.filter((name) => indexed.includes(name))).toEqual([]);
    }
  });
});
