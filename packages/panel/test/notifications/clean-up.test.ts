import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { expect, it } from 'vitest';
import { cleanUpNotifications } from '../../src/features/notifications/start-notifications.ts';

const { panel, owner } = usePanelWithOwner();
const DAY_MS = 86_400_000;

it('deliveries and their events are deleted after 90 days; an abandoned delivery fails after 2 days', async () => {
  const createdAt = panel.fakes.now;
  await panel.pool.query(
    `INSERT INTO notification_events (type, key, data, created_at, queued_at)
     VALUES ('audit.failed', 'sent', '{}', $1, $1), ('audit.failed', 'not queued yet', '{}', $1, NULL)`,
    [createdAt],
  );
  await panel.pool.query(
    `INSERT INTO notification_deliveries
       (message_id, type, event_ids, kind, user_id, recipient, status, created_at)
     SELECT gen_random_uuid(), 'test', '{}', 'email', $2, 'owner@example.com', status, $1
     FROM unnest(ARRAY['delivered', 'failed', 'waiting']) status`,
    [createdAt, owner.id],
  );
  const cleanUpAfter = async (ms: number) => {
    panel.fakes.now = new Date(createdAt.getTime() + ms);
    await cleanUpNotifications(panel.db, panel.fakes.now);
    const deliveries = panel.db.selectFrom('notification_deliveries').select('status');
    const events = panel.db.selectFrom('notification_events').select('key').orderBy('id');
    return {
      statuses: (await deliveries.orderBy('id').execute()).map(({ status }) => status),
      events: (await events.execute()).map(({ key }) => key),
    };
  };
  const keys = ['sent', 'not queued yet'];
  expect(await cleanUpAfter(2 * DAY_MS)).toEqual({
    statuses: ['delivered', 'failed', 'waiting'],
    events: keys,
  });
  expect(await cleanUpAfter(90 * DAY_MS)).toEqual({
    statuses: ['delivered', 'failed', 'failed'],
    events: keys,
  });
  expect(await cleanUpAfter(90 * DAY_MS + 1)).toEqual({
    statuses: [],
    events: ['not queued yet'],
  });
});
