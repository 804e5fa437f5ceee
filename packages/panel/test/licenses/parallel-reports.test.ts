import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expect, it } from 'vitest';

/** Reports that last long, because a lock keeps their sites. */
const panel = useTestPanel();
let count = 0;

async function connect(sites: number) {
  const { license_key } = await panel.license({ siteLimit: sites });
  const urls = Array.from({ length: sites }, () => newSiteUrl());
  for (const site_url of urls) {
    await panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
  }
  const report = (site_url: string) => {
    const plugin = { plugin: 'shop/shop.php', name: 'Shop', version: `1.${++count}`, active: true };
    const inventory = { plugins: [plugin], themes: [], core: { version: '6.6' } };
    return panel.post('/api/v1/site/verify', { license_key, site_url, ...VERSIONS, inventory });
  };
  return { license_key, urls, report };
}

/** Sends the reports while the rows of their sites are locked. Returns how many connections wait for the lock. */
async function countWaiting(
  urls: string[],
  send: () => ReturnType<typeof panel.post>[],
  other: () => Promise<{ status: number }>,
) {
  const lock = await panel.pool.connect();
  const waiting = async () => {
    // Not in the transaction of the lock, which would see one moment only.
    const { rowCount } = await panel.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rowCount ?? 0;
  };
  try {
    await lock.query('BEGIN');
    await lock.query('SELECT FROM sites WHERE url = ANY($1) FOR UPDATE', [urls]);
    const reports = send();
    await expect.poll(waiting).toBeGreaterThan(0);
    // Other sites get a response meanwhile.
    for (let n = 0; n < 20; n++) expect((await other()).status).toBe(200);
    const most = await waiting();
    await lock.query('ROLLBACK');
    const statuses = (await Promise.all(reports)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    return most;
  } finally {
    lock.release();
  }
}

const validate = (license_key: string) => panel.post('/api/v1/license/validate', { license_key });

it('the reports of one site use one connection to the database', async () => {
  const { license_key, urls, report } = await connect(1);
  const send = () => Array.from({ length: 20 }, () => report(urls[0] ?? ''));
  expect(await countWaiting(urls, send, () => validate(license_key))).toBe(1);
});

it('the reports of many sites use half of the connections at most', async () => {
  const { license_key, urls, report } = await connect(12);
  const half = Math.floor((panel.pool.options.max ?? 0) / 2);
  expect(half).toBeGreaterThan(0);
  const most = await countWaiting(
    urls,
    () => urls.map(report),
    () => validate(license_key),
  );
  expect(most).toBeLessThanOrEqual(half);
});
