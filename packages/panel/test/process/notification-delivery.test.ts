import { registerSecret } from '@steward/testkit/logs.ts';
import {
  type ReceivedMail,
  type SmtpSink,
  startSmtpSink,
} from '@steward/testkit/notifications/smtp-sink.ts';
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '@steward/testkit/notifications/webhook-receiver.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import {
  createTestPanel,
  newSiteUrl,
  type TestPanel,
  VERSIONS,
} from '@steward/testkit/panel/test-panel.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const FROM = 'Steward <steward@example.com>';

let panel: TestPanel;
let owner: Person;
let smtp: SmtpSink;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [smtp, receiver] = await Promise.all([startSmtpSink(), startWebhookReceiver()]);
  const config = { allowPrivateSites: true, smtp: { url: smtp.url, from: FROM } };
  panel = await createTestPanel(config, { startsWorker: true });
  // The receivers verify the time of a message against the real clock.
  panel.fakes.now = new Date();
  owner = await newSignedInUser(panel);
});
afterAll(async () => {
  await panel.close();
  await Promise.all([smtp.stop(), receiver.stop()]);
});

let count = 0;

type Channel = { id: number; path: string; secret: string };

async function newChannel(
  kind: 'slack' | 'webhook',
  event_types = ['site.down'],
): Promise<Channel> {
  const path = `/${kind}-${++count}`;
  await confirm();
  const body = { kind, name: `Channel ${count}`, url: `${receiver.url}${path}`, event_types };
  const created = await owner.post('/panel/notification-channels', body);
  expect(created.status).toBe(200);
  const { channel, signing_secret } = created.body;
  if (signing_secret) registerSecret(signing_secret);
  return { id: channel.id, path, secret: signing_secret };
}

const confirm = () => owner.post('/auth/confirm', { password: owner.password });

async function newSite(name?: string): Promise<{ id: number; name: string; url: string }> {
  const { license_key } = await panel.license();
  const url = newSiteUrl();
  const { body } = await panel.post('/api/v1/license/activate', {
    ...VERSIONS,
    license_key,
    site_url: url,
  });
  return { id: body.activation.site_id, name: name ?? url, url };
}

async function emitDown({
  id,
  name,
  url,
}: {
  id: number;
  name: string;
  url: string;
}): Promise<void> {
  const since = panel.fakes.now.toISOString();
  await panel.db.transaction().execute((trx) =>
    panel.services.notificationOutbox.emit(trx, {
      type: 'site.down',
      key: `site.down ${id} ${++count}`,
      siteId: id,
      data: { site_id: id, site_name: name, site_url: url, since, reason: 'It responds with 500' },
    }),
  );
}

const deliveriesOf = async ({ id }: Channel) => {
  const { body } = await owner.get('/panel/notification-deliveries?limit=100');
  return body.deliveries.filter(({ channel_id }: { channel_id: number }) => channel_id === id);
};

const deleteChannel = ({ id }: Channel) =>
  owner.call('DELETE', `/panel/notification-channels/${id}`);
const mailsTo = ({ email }: { email: string }): ReceivedMail[] =>
  smtp.mails.filter(({ to }) => to.includes(email));

describe('a webhook', () => {
  it('gets a signed message with the event', async () => {
    const channel = await newChannel('webhook');
    const site = await newSite();
    await emitDown(site);
    await expect.poll(() => receiver.requestsTo(channel.path)).toHaveLength(1);
    const [request] = receiver.requestsTo(channel.path);
    if (!request) throw new Error('No request.');
    const payload = new Webhook(channel.secret).verify(
      request.body,
      request.headers as Record<string, string>,
    );
    expect(payload).toMatchObject({
      type: 'site.down',
      timestamp: panel.fakes.now.toISOString(),
      data: { site_id: site.id },
    });
    expect(request.headers['webhook-id']).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(request.body).not.toContain(channel.secret);
    await expect
      .poll(() => deliveriesOf(channel))
      .toMatchObject([{ status: 'delivered', attempts: 1, http_status: 200, type: 'site.down' }]);
    await deleteChannel(channel);
  });

  it('gets the same message again after a 500, with the same id', async () => {
    const channel = await newChannel('webhook');
    receiver.respond(channel.path, 500, 200);
    await emitDown(await newSite());
    await expect.poll(() => receiver.requestsTo(channel.path), { timeout: 15_000 }).toHaveLength(2);
    const ids = receiver.requestsTo(channel.path).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    await expect
      .poll(() => deliveriesOf(channel))
      .toMatchObject([{ status: 'delivered', attempts: 2, http_status: 200, error: null }]);
    await deleteChannel(channel);
  });

  it('is turned off by a 410', async () => {
    const channel = await newChannel('webhook');
    receiver.respond(channel.path, 410);
    await emitDown(await newSite());
    await expect
      .poll(() => deliveriesOf(channel))
      .toMatchObject([{ status: 'failed', attempts: 1, http_status: 410 }]);
    const find = async () =>
      (await owner.get('/panel/notification-channels')).body.channels.find(
        ({ id }: { id: number }) => id === channel.id,
      );
    await expect.poll(find).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    const records = await panel.db
      .selectFrom('audit_log')
      .select(['action', 'context'])
      .where('entity_type', '=', 'notification_channel')
      .where('entity_id', '=', String(channel.id))
      .orderBy('id')
      .execute();
    expect(records.map(({ action }) => action)).toEqual(['create', 'disable']);
    expect(JSON.stringify(records)).not.toContain(channel.path);
    await deleteChannel(channel);
  });

  it('that hangs does not delay others', { timeout: 40_000 }, async () => {
    const [hanging, other] = [await newChannel('webhook'), await newChannel('webhook')];
    receiver.respond(hanging.path, 'hang');
    const site = await newSite();
    for (let index = 0; index < 8; index++) await emitDown(site);
    await expect.poll(() => receiver.requestsTo(other.path), { timeout: 10_000 }).toHaveLength(8);
    const read = async () =>
      (await deliveriesOf(hanging)).map(({ error }: { error: string }) => error);
    await expect
      .poll(read, { timeout: 25_000 })
      .toContainEqual(expect.stringContaining('did not respond within 15 seconds'));
    await deleteChannel(hanging);
    await deleteChannel(other);
  });

  it('does not follow a redirect', async () => {
    const channel = await newChannel('webhook');
    receiver.respond(channel.path, 302);
    const { body } = await owner.post(`/panel/notification-channels/${channel.id}/test`);
    expect(body.delivery).toMatchObject({ status: 'failed', http_status: 302, type: 'test' });
    expect(body.delivery.error).toContain('follows no redirects');
    expect(receiver.requestsTo('/elsewhere')).toEqual([]);
    await deleteChannel(channel);
  });

  it('gets no message after its deletion; the log keeps the cancelled delivery', async () => {
    const channel = await newChannel('webhook');
    const name = `Channel ${count}`;
    receiver.respond(channel.path, 500);
    await emitDown(await newSite());
    await expect.poll(() => receiver.requestsTo(channel.path).length).toBeGreaterThan(0);
    expect((await deleteChannel(channel)).status).toBe(200);
    const read = async () => {
      const { body } = await owner.get('/panel/notification-deliveries?status=cancelled');
      return body.deliveries.filter(({ recipient }: { recipient: string }) => recipient === name);
    };
    await expect
      .poll(read)
      .toMatchObject([{ error: 'The channel was deleted.', channel_id: null }]);
  });

  it('can be retried by an owner at once', async () => {
    const channel = await newChannel('webhook');
    receiver.respond(channel.path, 410);
    const { body } = await owner.post(`/panel/notification-channels/${channel.id}/test`);
    receiver.respond(channel.path, 200);
    const retried = await owner.post(`/panel/notification-deliveries/${body.delivery.id}/retry`);
    expect(retried.body.delivery).toMatchObject({ status: 'delivered', attempts: 2 });
    const again = await owner.post(`/panel/notification-deliveries/${body.delivery.id}/retry`);
    expect(again).toMatchObject({ status: 409, body: { code: 'delivery_finished' } });
    await deleteChannel(channel);
  });
});

describe('Slack', () => {
  it('gets text in which a name cannot mention a channel', async () => {
    const channel = await newChannel('slack');
    await emitDown(await newSite('<!channel> & co'));
    await expect.poll(() => receiver.requestsTo(channel.path)).toHaveLength(1);
    const { text } = JSON.parse(receiver.requestsTo(channel.path)[0]?.body ?? '{}');
    expect(text).toContain('*Site down: &lt;!channel&gt; &amp; co*');
    expect(text).toContain('|Open in Steward>');
    expect(receiver.requestsTo(channel.path)[0]?.headers['webhook-signature']).toBeUndefined();
    await deleteChannel(channel);
  });

  it('gets few messages about many events, and the rest in one', async () => {
    const channel = await newChannel('slack', ['site.up']);
    const site = await newSite();
    const moment = panel.fakes.now.toISOString();
    await panel.db
      .insertInto('notification_events')
      .values(
        Array.from({ length: 10_000 }, (_, index) => ({
          type: 'site.up' as const,
          key: `flood ${index}`,
          site_id: site.id,
          data: {
            site_id: site.id,
            site_name: `S${index}`,
            site_url: site.url,
            down_since: moment,
            up_since: moment,
          },
          created_at: panel.fakes.now,
        })),
      )
      .execute();
    await expect
      .poll(() => receiver.requestsTo(channel.path), { timeout: 30_000 })
      .toHaveLength(20);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 16 * 60_000);
    await expect
      .poll(() => receiver.requestsTo(channel.path), { timeout: 15_000 })
      .toHaveLength(21);
    const { text } = JSON.parse(receiver.requestsTo(channel.path)[20]?.body ?? '{}');
    expect(text).toContain('*9,980 notifications from Steward*');
    expect(text).toContain('And 9,930 others.');
    await deleteChannel(channel);
  });
});

const setEmail = (user: Person, mode: string, event_types = ['site.down']) =>
  user.call('PUT', '/panel/account/notifications', { mode, event_types });

describe('e-mail', () => {
  it('reaches a user with access to the site, and no other user', async () => {
    const [viewer, stranger] = [
      await newSignedInUser(panel, 'viewer'),
      await newSignedInUser(panel, 'viewer'),
    ];
    const site = await newSite('Shop\r\nBcc: victim@example.com');
    await confirm();
    await owner.ask('PUT', `/panel/users/${viewer.id}/access/sites/${site.id}`);
    await setEmail(viewer, 'immediate');
    await setEmail(stranger, 'immediate');
    await emitDown(site);
    await expect.poll(() => mailsTo(viewer)).toHaveLength(1);
    const [mail] = mailsTo(viewer);
    if (!mail) throw new Error('No mail.');
    const headers = smtp.headersOf(mail);
    expect(headers).toMatch(/^Subject: \[Steward\] Site down: Shop Bcc: victim@example.com$/m);
    expect(headers).not.toMatch(/^Bcc:/m);
    expect(headers).toMatch(/^Message-ID: <[0-9a-f-]{36}@localhost>$/m);
    expect(mail.to).toEqual([viewer.email]);
    expect(mailsTo(stranger)).toEqual([]);
    await setEmail(viewer, 'off');
    await setEmail(stranger, 'off');
  });

  it('is not retried after the mail server refused the recipient', async () => {
    smtp.refusesRecipients = true;
    await setEmail(owner, 'immediate');
    await emitDown(await newSite());
    await expect.poll(() => smtp.refused).toContain(owner.email);
    const read = async () => {
      const { body } = await owner.get('/panel/notification-deliveries?status=failed&limit=1');
      return body.deliveries[0];
    };
    await expect.poll(read).toMatchObject({ kind: 'email', attempts: 1, next_attempt_at: null });
    expect((await read()).error).toContain('550');
    smtp.refusesRecipients = false;
    await setEmail(owner, 'off');
  });

  it('sends one digest a day, and none without events', async () => {
    await setEmail(owner, 'daily');
    const before = mailsTo(owner).length;
    await emitDown(await newSite());
    await emitDown(await newSite());
    const gathered = () =>
      panel.db.selectFrom('notification_gathered_events').selectAll().execute();
    await expect.poll(gathered).toHaveLength(2);
    expect(mailsTo(owner)).toHaveLength(before);
    const other = await panel.startWorker();
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 24 * 3600_000);
    await expect.poll(() => mailsTo(owner)).toHaveLength(before + 1);
    expect(smtp.headersOf(mailsTo(owner).at(-1) as ReceivedMail)).toMatch(
      /^Subject: \[Steward\] 2 notifications from Steward$/m,
    );
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 24 * 3600_000);
    await expect.poll(gathered).toEqual([]);
    await other.stop();
    expect(mailsTo(owner)).toHaveLength(before + 1);
    await setEmail(owner, 'off');
  });

  it('can be tested by each user', async () => {
    const viewer = await newSignedInUser(panel, 'viewer');
    const { body } = await viewer.post('/panel/account/notifications/test');
    expect(body.delivery).toMatchObject({ status: 'delivered', recipient: viewer.email });
    expect(mailsTo(viewer)).toHaveLength(1);
  });

  it('shows owners the mail server, the last sent e-mail and the last failure', async () => {
    const { recipient, at } = (await readMail()).last_sent;
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 60_000);
    smtp.refusesRecipients = true;
    const { body } = await owner.post('/panel/account/notifications/test');
    expect(body.delivery.status).toBe('failed');
    expect(await readMail()).toEqual({
      configured: true,
      server: new URL(smtp.url).host,
      sender: FROM,
      links_start_with: 'http://localhost:8080',
      last_sent: { recipient, at },
      last_failure: {
        recipient: owner.email,
        at: panel.fakes.now.toISOString(),
        error: expect.stringContaining('550'),
      },
    });
    smtp.refusesRecipients = false;
    await owner.ask('POST', '/panel/account/notifications/test');
    expect((await readMail()).last_sent).toEqual({
      recipient: owner.email,
      at: panel.fakes.now.toISOString(),
    });
  });
});

const readMail = async () => (await owner.get('/panel/mail')).body.mail;
