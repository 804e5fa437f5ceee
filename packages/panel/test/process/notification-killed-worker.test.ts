import { once } from 'node:events';
import { registerSecret } from '@steward/testkit/logs.ts';
import { startWebhookReceiver } from '@steward/testkit/notifications/webhook-receiver.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startWorker } from '@steward/testkit/panel/start-process.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { expect, it, onTestFinished } from 'vitest';

const PATH = '/hook';
const PATIENT = { timeout: 60_000 };

async function createFixture() {
  const database = await usePanelDatabase();
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.stop());
  const { db, services } = database;
  const { signing_secret } = await services.notificationChannels.create(
    { kind: 'webhook', name: 'Ops', url: `${receiver.url}${PATH}` },
    OPERATOR,
  );
  registerSecret(signing_secret ?? '');
  return {
    ...database,
    receiver,
    emit: (key: string) =>
      db.transaction().execute((trx) =>
        services.notificationOutbox.emit(trx, {
          type: 'audit.verification_failed',
          key,
          data: { reason: 'A record is missing' },
        }),
      ),
    deliveries: () =>
      db
        .selectFrom('notification_deliveries')
        .select(['status', 'attempts'])
        .orderBy('id')
        .execute(),
  };
}

it('an event without a worker is delivered once by the next worker', PATIENT, async () => {
  const { env, receiver, emit, deliveries } = await createFixture();
  await emit('first');
  // The same change of state, reported by another process.
  await emit('first');
  await Promise.all([startWorker(env), startWorker(env)]);
  await expect
    .poll(deliveries, { timeout: 30_000 })
    .toEqual([{ status: 'delivered', attempts: 1 }]);
  await emit('second');
  await expect.poll(() => receiver.requestsTo(PATH), { timeout: 30_000 }).toHaveLength(2);
});

it('a message of a killed worker is sent again, with the same id', {
  timeout: 120_000,
}, async () => {
  const { env, db, pool, receiver, emit, deliveries } = await createFixture();
  receiver.respond(PATH, 'hang', 200);
  const worker = await startWorker(env);
  await emit('first');
  await expect.poll(() => receiver.requestsTo(PATH), { timeout: 30_000 }).toHaveLength(1);
  // The first retry would follow after a minute.
  await pool.query("UPDATE pgboss.job SET retry_delay = 1 WHERE name = 'notifications'");
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  expect(await deliveries()).toEqual([{ status: 'waiting', attempts: 1 }]);
  await startWorker(env);
  await expect
    .poll(deliveries, { timeout: 90_000, interval: 500 })
    .toEqual([{ status: 'delivered', attempts: 2 }]);
  const requests = receiver.requestsTo(PATH);
  expect(requests).toHaveLength(2);
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(await db.selectFrom('notification_events').selectAll().execute()).toHaveLength(1);
});
