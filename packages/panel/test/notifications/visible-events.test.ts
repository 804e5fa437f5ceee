import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it } from 'vitest';
import { findVisibleEvents } from '../../src/features/notifications/deliveries.repository.ts';

const { panel, owner } = usePanelWithOwner();

it('a user gets the events of runs and rollouts of own access tokens, but not of those of others', async () => {
  const site = await (await newLicenseWithSites(panel)).addSite();
  const manager = await newUserWithAccess(panel, 'manager', [{ siteId: site.id }]);
  const start = async (user: typeof owner) => {
    const token = await newToken(panel, user, {
      role: 'manager',
      actions: ['read', 'sync', 'rollouts'],
      access: { site_ids: [site.id] },
    });
    const run = await token.post(
      '/panel/sites/sync',
      { site_ids: [site.id] },
      { headers: { prefer: 'respond-async' } },
    );
    const items = [{ type: 'plugin', slug: SHOP, version: '2.0' }];
    const rollout = await token.post('/panel/rollouts', { site_ids: [site.id], items });
    return [
      { type: 'run.finished_with_failures', data: { run_id: run.body.run_id } },
      { type: 'rollout.halted', data: { rollout_id: rollout.body.rollout.rollout_id } },
    ];
  };
  const own = await start(manager);
  const events = [...own, ...(await start(owner))];
  const { rows } = await panel.pool.query(
    `INSERT INTO notification_events (type, key, data, created_at)
     SELECT type, data::text, data, now() FROM jsonb_to_recordset($1) AS e (type text, data jsonb) RETURNING id`,
    [JSON.stringify(events)],
  );
  const ids = rows.map(({ id }) => Number(id));
  const visible = await findVisibleEvents(panel.db, { id: manager.id, role: 'manager' }, ids);
  expect(visible.map(({ type, data }) => ({ type, data }))).toEqual(own);
});
