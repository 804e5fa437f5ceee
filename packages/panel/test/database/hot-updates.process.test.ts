import {
  createHostNames,
  inventory,
  newLicenseWithSites,
} from '@steward/testkit/panel/licensed-sites.ts';
import { useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const SITES = 10;
const ROUNDS = 10;
/** The pool has fewer connections. */
const CONNECTIONS = 20;

// An update that writes no index (HOT) leaves nothing for autovacuum. A new index on a column that check-ins or reports
// change would make each of them write all indexes of the table, and the share would be 0. It is never 1: PostgreSQL
// first removes the dead rows of a full page, and cannot while another transaction may still read them.
describe('updates of one row that write no index', () => {
  const panel = useTestPanel();

  /** Returns the share of HOT updates in the updates that `work` causes. */
  async function measureHotShare(table: string, work: () => Promise<unknown>) {
    const before = await readUpdates(table);
    await work();
    const after = await readUpdates(table);
    const updates = after.all - before.all;
    return { updates, hotShare: (after.hot - before.hot) / updates };
  }

  async function readUpdates(table: string): Promise<{ all: number; hot: number }> {
    // A connection reports its statistics later, unless it is told to. The sleep makes each query use another connection.
    const flush = () => panel.pool.query('SELECT pg_stat_force_next_flush(), pg_sleep(0.05)');
    await Promise.all(Array.from({ length: CONNECTIONS }, flush));
    const { rows } = await panel.pool.query(
      'SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = $1',
      [table],
    );
    return rows[0];
  }

  async function connectSites() {
    const license = await newLicenseWithSites(panel);
    const urls = createHostNames(SITES).map((name) => `https://${name}.example.com`);
    for (const url of urls) await license.addSite({ url });
    const repeat = async (call: (url: string, round: number) => Promise<unknown>) => {
      for (let round = 1; round <= ROUNDS; round++) {
        await Promise.all(urls.map((url) => call(url, round)));
      }
    };
    return { ...license, repeat };
  }

  it('are most of the updates by check-ins', async () => {
    const { repeat, check } = await connectSites();
    const { updates, hotShare } = await measureHotShare('license_activations', () =>
      repeat((url) => check(url)),
    );
    expect(updates).toBe(SITES * ROUNDS);
    expect(hotShare).toBeGreaterThan(0.5);
  });

  it('are most of the updates by reports of one day', async () => {
    const { repeat, post } = await connectSites();
    const report = (site_url: string, round: number) => {
      const { plugins, ...others } = inventory();
      const updated = plugins.map((plugin) => ({ ...plugin, version: `1.${round}` }));
      return post('/api/v1/site/verify', { site_url, inventory: { ...others, plugins: updated } });
    };
    const { updates, hotShare } = await measureHotShare('sites', () => repeat(report));
    expect(updates).toBeGreaterThanOrEqual(SITES * ROUNDS);
    expect(hotShare).toBeGreaterThan(0.5);
  });

  it('are most of the updates of the usage of a license', async () => {
    const { repeat, post } = await connectSites();
    const { updates, hotShare } = await measureHotShare('licenses', () =>
      repeat(async (site_url) => {
        await post('/api/v1/license/deactivate', { site_url });
        await post('/api/v1/license/activate', { site_url, ...VERSIONS });
      }),
    );
    expect(updates).toBe(2 * SITES * ROUNDS);
    expect(hotShare).toBeGreaterThan(0.5);
  });
});
