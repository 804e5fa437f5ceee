import { registerSecret } from '@steward/testkit/logs.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const CHANNELS = '/panel/notification-channels';
const SECRET_URL = 'https://hooks.example.com/services/T0/B0/very-secret-path';

const { panel, owner } = usePanelWithOwner();

describe('notification channels', () => {
  const create = (input: object = {}) =>
    owner.post(CHANNELS, { kind: 'webhook', name: 'Ops', url: SECRET_URL, ...input });
  beforeAll(() => {
    registerSecret('very-secret-path');
  });

  it('show the secret once and on reveal, and never the URL', async () => {
    const { body } = await create();
    registerSecret(body.signing_secret);
    expect(body.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.channel).toMatchObject({ name: 'Ops', host: 'hooks.example.com', enabled: true });
    const list = await owner.get(CHANNELS);
    expect(JSON.stringify(list.body)).not.toMatch(/very-secret-path|whsec_/);
    const revealed = await owner.post(`${CHANNELS}/${body.channel.id}/reveal-secret`);
    expect(revealed.body.signing_secret).toBe(body.signing_secret);
    const audited = await panel.db
      .selectFrom('audit_log')
      .select(['action', 'context'])
      .where('entity_type', '=', 'notification_channel')
      .execute();
    expect(audited.map(({ action }) => action)).toEqual(['create', 'reveal_secret']);
    expect(JSON.stringify(audited)).not.toMatch(/very-secret-path|whsec_/);
    const { rows } = await panel.pool.query('SELECT * FROM notification_channels');
    const stored = rows.flatMap((row) => Object.values(row)).map(String);
    expect(stored).toContain('hooks.example.com');
    expect(stored.join()).not.toMatch(/very-secret-path|whsec_/);
  });

  it.each([
    'ftp://example.com/x',
    'https://user:password@example.com/x',
    'example.com',
    'https://',
  ])('refuse the URL %s', async (url) => {
    expect(await create({ url })).toMatchObject({
      status: 400,
      body: { code: 'invalid_channel_url' },
    });
  });

  it('have names without control characters', async () => {
    const { body } = await create({ kind: 'slack', name: 'Ops\r\nBcc: x' });
    expect(body).toMatchObject({ channel: { name: 'Ops Bcc: x' }, signing_secret: null });
    const reveal = await owner.post(`${CHANNELS}/${body.channel.id}/reveal-secret`);
    expect(reveal.status).toBe(404);
  });

  it('on a private address get no message', async () => {
    const { body } = await create({ url: 'http://127.0.0.1:9/hook' });
    registerSecret(body.signing_secret);
    const test = await owner.post(`${CHANNELS}/${body.channel.id}/test`);
    expect(test.body.delivery).toMatchObject({ status: 'failed', attempts: 1 });
    expect(test.body.delivery.error).toContain('Private address blocked: 127.0.0.1:9');
    const byName = await create({ url: 'http://localhost:9/hook' });
    registerSecret(byName.body.signing_secret);
    const other = await owner.post(`${CHANNELS}/${byName.body.channel.id}/test`);
    expect(other.body.delivery.error).toContain('Private address blocked: localhost:9');
  });

  it('are turned off and on, and deleted', async () => {
    const { body } = await create({ kind: 'slack' });
    const path = `${CHANNELS}/${body.channel.id}`;
    const off = await owner.patch(path, { enabled: false });
    expect(off.body.channel).toMatchObject({ enabled: false, disabled_reason: null });
    const on = await owner.patch(path, { enabled: true, event_types: ['site.up', 'site.down'] });
    expect(on.body.channel).toMatchObject({
      enabled: true,
      disabled_at: null,
      event_types: ['site.down', 'site.up'],
    });
    expect((await owner.call('DELETE', path)).status).toBe(200);
    expect((await owner.call('DELETE', path)).body.code).toBe('channel_not_found');
    expect((await owner.patch(path, { name: 'x' })).status).toBe(404);
  });

  it('need a confirmation for a new URL or the secret', async () => {
    const { body } = await create();
    registerSecret(body.signing_secret);
    const path = `${CHANNELS}/${body.channel.id}`;
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 11 * 60_000);
    const refused = { status: 403, body: { code: 'confirmation_required' } };
    expect(await create()).toMatchObject(refused);
    expect(await owner.patch(path, { url: 'https://evil.example' })).toMatchObject(refused);
    expect(await owner.post(`${path}/reveal-secret`)).toMatchObject(refused);
    expect((await owner.patch(path, { name: 'Ops 2' })).body.channel.name).toBe('Ops 2');
  });

  it('are not for managers', async () => {
    const manager = await newSignedInUser(panel, 'manager');
    expect((await manager.get(CHANNELS)).status).toBe(403);
    expect((await manager.get('/panel/notification-deliveries')).status).toBe(403);
  });
});

describe('the e-mail settings of a user', () => {
  const PATH = '/panel/account/notifications';

  it('offer users without the role owner only events of their sites and rollouts', async () => {
    const viewer = await newSignedInUser(panel, 'viewer');
    const { body } = await viewer.get(PATH);
    expect(body).toMatchObject({ settings: { mode: 'off' }, smtp_configured: false });
    expect(body.available_event_types).toEqual([
      'run.finished_with_failures',
      'rollout.halted',
      'site.down',
      'site.up',
    ]);
    const saved = await viewer.call('PUT', PATH, {
      mode: 'daily',
      event_types: ['audit.verification_failed', 'site.down'],
    });
    expect(saved.body.settings).toEqual({ mode: 'daily', event_types: ['site.down'] });
    expect((await viewer.call('PUT', PATH, { mode: 'x', event_types: [] })).status).toBe(400);
  });

  it('report why a test e-mail was not sent', async () => {
    const viewer = await newSignedInUser(panel, 'viewer');
    const { body } = await viewer.post(`${PATH}/test`);
    expect(body.delivery).toMatchObject({ status: 'failed' });
    expect(body.delivery.error).toContain('Set SMTP_URL');
  });

  it('allow five test e-mails in ten minutes, also at once', async () => {
    const viewer = await newSignedInUser(panel, 'viewer');
    const results = await Promise.all(Array.from({ length: 7 }, () => viewer.post(`${PATH}/test`)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = results.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'rate_limited' });
    expect(String(refused?.headers['retry-after'])).toBe('600');
    const other = await newSignedInUser(panel, 'viewer');
    expect((await other.post(`${PATH}/test`)).status).toBe(200);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 10 * 60_000);
    expect((await viewer.post(`${PATH}/test`)).status).toBe(200);
  });
});

describe('the mail server', () => {
  it('is not configured without SMTP_URL, and its state is for owners only', async () => {
    const { body } = await owner.get('/panel/mail');
    expect(body.mail).toMatchObject({ configured: false, server: null, sender: null });
    expect(body.mail.last_failure.error).toContain('Set SMTP_URL');
    const manager = await newSignedInUser(panel, 'manager');
    expect((await manager.get('/panel/mail')).status).toBe(403);
  });
});
