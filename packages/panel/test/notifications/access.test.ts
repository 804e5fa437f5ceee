import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { type Person, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';
import { createFanOut } from '../../src/features/notifications/fan-out.ts';

const { panel, owner } = usePanelWithOwner();

/** Creates an event of a site and its deliveries, without a worker that sends them. */
async function notifyAbout(site: { id: number; url: string }) {
  const since = panel.fakes.now.toISOString();
  const data = { site_id: site.id, site_name: 'Shop', site_url: site.url, since, reason: 'Down' };
  const event = { type: 'site.down', key: `site.down ${site.id}`, siteId: site.id, data } as const;
  const { notificationOutbox } = panel.services;
  await panel.db.transaction().execute((trx) => notificationOutbox.emit(trx, event));
  const clock = { now: () => panel.fakes.now };
  await createFanOut({ db: panel.db, clock, queueDeliveries: async () => {} }).createDeliveries();
}

const deliveriesTo = ({ id }: Person) =>
  panel.db.selectFrom('notification_deliveries').selectAll().where('user_id', '=', id).execute();

async function newReader(siteId?: number): Promise<Person> {
  const user = await newUserWithAccess(panel, 'viewer', siteId ? [{ siteId }] : []);
  const settings = { mode: 'immediate', event_types: ['site.down'] };
  expect((await user.call('PUT', '/panel/account/notifications', settings)).status).toBe(200);
  return user;
}

describe('a notification of a site', () => {
  it('is created for users with access only', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const [reader, stranger] = [await newReader(site.id), await newReader()];
    await notifyAbout(site);
    expect(await deliveriesTo(reader)).toHaveLength(1);
    expect(await deliveriesTo(stranger)).toEqual([]);
  });

  it('is cancelled if the user loses access before it is sent', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const reader = await newReader(site.id);
    await notifyAbout(site);
    await panel.services.siteAccess.revoke(reader.id, { siteId: site.id }, OPERATOR);
    const [{ id } = { id: 0 }] = await deliveriesTo(reader);
    const { body } = await owner.post(`/panel/notification-deliveries/${id}/retry`);
    expect(body.delivery).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining('no access'),
    });
  });
});
