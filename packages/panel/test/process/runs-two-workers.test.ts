import { once } from 'node:events';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { createInBatches, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it, onTestFinished } from 'vitest';

const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const SITES_EACH = 20;

it('two workers respect the concurrency limit per address, even if one is killed and restarted', {
  timeout: 300_000,
}, async () => {
  const database = await usePanelDatabase();
  const env = { ...database.env, SITE_CALLS_AT_ONCE: '20', SITE_CALLS_PER_ADDRESS: '2' };
  const panel = await startPanel(env, undefined, ['--role', 'web']);
  const { license_key } = await database.newLicense({ siteLimit: ADDRESSES.length * SITES_EACH });
  const fleets = await Promise.all(
    ADDRESSES.map((address) => startFleet(panel.url, license_key, { host: address })),
  );
  onTestFinished(async () => {
    for (const fleet of fleets) await fleet.stop();
  });
  for (const fleet of fleets) {
    const sites = await createInBatches(SITES_EACH, (index) => fleet.add(`s${index}`));
    for (const { state } of sites) state.updateMs = 150;
  }
  const [killed] = [await startWorker(env), await startWorker(env)];
  const owner = await signInAt(panel.url, await database.newUser());
  const ids = Array.from({ length: ADDRESSES.length * SITES_EACH }, (_, index) => index + 1);
  const { body } = await owner.post(
    '/remote/update',
    { site_ids: ids },
    { headers: { prefer: 'respond-async' } },
  );
  const counts = async () => (await owner.get(`/panel/runs/${body.run_id}?limit=1`)).body.counts;
  const waitForSucceeded = (min: number) =>
    expect
      .poll(async () => (await counts()).succeeded ?? 0, { timeout: 180_000, interval: 100 })
      .toBeGreaterThanOrEqual(min);

  await waitForSucceeded(12);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await startWorker(env);
  // A call in flight may have been lost before the site started it.
  await expect
    .poll(async () => (await owner.get(`/panel/runs/${body.run_id}?limit=1`)).body.status, {
      timeout: 180_000,
      interval: 500,
    })
    .toBe('finished');
  await waitForSucceeded(ids.length - 6);
  expect(fleets.map(({ inFlight }) => inFlight.most)).toEqual([2, 2, 2]);
});
