import { randomBytes } from 'node:crypto';
import { registerSecret } from '@steward/testkit/logs.ts';
import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { timing: RARE_POLLS });
const ANNA = { id: 7, login: 'anna', name: 'Anna Berg', role: 'Editor' };
let site: FixtureSite;
let received: unknown[];
let token: string;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const usersPath = (id = site.id) => `/panel/sites/${id}/login-users`;
const path = (id = site.id) => `/panel/sites/${id}/login`;
const confirm = (person: Person) => person.post('/auth/confirm', { password: person.password });

/** Sends the form as the screens do. `fields` replace its fields, `headers` those of the browser. */
async function sendForm(
  person: { cookie: string; csrfToken: string },
  { fields = {}, headers = {}, id = site.id }: FormChange = {},
) {
  const form = { user: String(ANNA.id), csrf_token: person.csrfToken, ...fields };
  const response = await fixture.panel.app.inject({
    method: 'POST',
    url: path(id),
    headers: { ...FORM, cookie: person.cookie, ...headers },
    payload: new URLSearchParams(form).toString(),
  });
  const { statusCode: status, headers: received, body: html } = response;
  return { status, headers: received, html };
}
type FormChange = {
  fields?: Record<string, string>;
  headers?: Record<string, string>;
  id?: number;
};

const setCapabilities = (id: number, capabilities: string[]) =>
  fixture.panel.db
    .updateTable('license_activations')
    .set({ capabilities })
    .where('site_id', '=', id)
    .execute();

/** Adds a site whose plugin allows log-in. */
async function newSite() {
  const added = await fixture.newSite();
  await setCapabilities(added.id, ['site_key', 'signed_calls', 'login']);
  added.routes['login-users'] = () => ({ success: true, users: [ANNA] });
  added.routes.login = (body) => {
    received.push(body);
    return { success: true, login: 'anna', url: `${added.siteUrl}/wp-admin/admin-post.php`, token };
  };
  return added;
}

const readLogins = async (id = site.id) =>
  (await fixture.readAudit(id, 'site')).filter(({ action }) => action === 'log_in');

let owner: Person;
beforeAll(async () => {
  received = [];
  token = randomBytes(32).toString('hex');
  registerSecret(token);
  site = await newSite();
  owner = await newSignedInUser(fixture.panel, 'owner');
});

describe('a log-in to WordPress', () => {
  it('needs a confirmation, for which the sign-in does not count', async () => {
    const refused = { status: 403, body: { code: 'confirmation_required' } };
    expect(await owner.get(usersPath())).toMatchObject(refused);
    expect(await owner.post(path(), { user: '7' })).toMatchObject(refused);
    const { status, html } = await sendForm(owner);
    expect([status, html]).toEqual([403, expect.stringContaining('Log-in failed')]);
    await confirm(owner);
    await fixture.panel.pool.query(
      "UPDATE sessions SET confirmed_at = confirmed_at - interval '10 minutes'",
    );
    expect(await owner.get(usersPath())).toMatchObject(refused);
    expect(received).toEqual([]);
    await confirm(owner);
    expect((await owner.get(usersPath())).body).toEqual({ success: true, users: [ANNA] });
  });

  it('returns a page that posts the token to the site, and only there', async () => {
    const { status, headers, html } = await sendForm(owner);
    expect(status).toBe(200);
    expect(html).toContain(
      `<form method="post" action="${site.siteUrl}/wp-admin/admin-post.php" id="log-in">`,
    );
    expect(html).toContain(`name="token" value="${token}"`);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining(
        `form-action ${new URL(site.siteUrl).origin};`,
      ),
    });
    expect(received.at(-1)).toEqual({ user: 7, actor: expect.stringMatching(/\S/) });
    const [record] = (await readLogins()).slice(-1);
    expect(record).toMatchObject({
      actor: String(owner.id),
      context: { outcome: 'succeeded', wordpress_user_id: 7, wordpress_user: 'anna' },
    });
    expect(JSON.stringify(record)).not.toContain(token);
  });

  it('refuses a form from another site, and one without the CSRF token', async () => {
    const before = received.length;
    const other = await newSignedInUser(fixture.panel, 'owner');
    const attacks: FormChange[] = [
      { headers: { origin: 'https://evil.example' } },
      { headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } },
      { headers: { 'sec-fetch-site': 'same-site' } },
      { fields: { csrf_token: '' } },
      { fields: { csrf_token: 'wrong' } },
      { fields: { csrf_token: other.csrfToken } },
      // Only the field counts in a form.
      { fields: { csrf_token: '' }, headers: { 'x-csrf-token': owner.csrfToken } },
    ];
    for (const attack of attacks) {
      const { status, html } = await sendForm(owner, attack);
      expect([status, html.includes(token)]).toEqual([403, false]);
    }
    const { statusCode } = await fixture.panel.app.inject({
      method: 'POST',
      url: path(),
      headers: { cookie: owner.cookie, 'content-type': 'text/plain' },
      payload: `user=7&csrf_token=${owner.csrfToken}`,
    });
    expect(statusCode).toBe(403);
    expect((await sendForm({ cookie: '', csrfToken: owner.csrfToken })).status).toBe(401);
    expect(received).toHaveLength(before);
  });

  it('accepts forms on no other route', async () => {
    const { statusCode } = await fixture.panel.app.inject({
      method: 'POST',
      url: '/panel/sites/sync',
      headers: { ...FORM, cookie: owner.cookie, 'x-csrf-token': owner.csrfToken },
      payload: `site_ids=${site.id}`,
    });
    expect(statusCode).toBe(400);
  });

  it('refuses access tokens, viewers, and users without access to the site', async () => {
    const before = received.length;
    const [viewer, manager] = await Promise.all([
      newSignedInUser(fixture.panel, 'viewer'),
      newSignedInUser(fixture.panel, 'manager'),
    ]);
    for (const person of [viewer, manager]) await confirm(person);
    expect((await sendForm(viewer)).status).toBe(403);
    expect((await viewer.get(usersPath())).body.code).toBe('forbidden');
    expect((await sendForm(manager)).status).toBe(404);
    expect((await manager.get(usersPath())).body.code).toBe('site_not_found');
    expect((await sendForm(owner, { id: 999_999 })).status).toBe(404);
    const bearer = await newToken(fixture.panel, owner, { actions: ['read', 'sites', 'update'] });
    for (const response of [
      await bearer.get(usersPath()),
      await bearer.post(path(), { user: '7' }),
    ]) {
      expect(response.body.code).toBe('token_not_allowed');
    }
    expect(received).toHaveLength(before);
    // A hidden site leaves no record in its history.
    expect(await readLogins()).toHaveLength(1);
  });

  it('records a refusal of the site, and shows its sentence', async () => {
    const refusing = await newSite();
    // A site that printed something before cannot send another status.
    refusing.routes.login = () => ({
      success: false,
      error: 'Ask Ada & <b>Bea</b>.',
      code: 'login_user_not_allowed',
    });
    const { status, html } = await sendForm(owner, { id: refusing.id });
    expect([status, html]).toEqual([403, expect.stringContaining('Ask Ada &amp; Bea.')]);
    expect(await readLogins(refusing.id)).toMatchObject([
      { context: { outcome: 'failed', code: 'login_user_not_allowed', wordpress_user_id: 7 } },
    ]);
  });

  it('refuses an address on another host, and a response of another form', async () => {
    const hostile = await newSite();
    hostile.routes.login = () => ({
      success: true,
      login: 'anna',
      url: 'https://evil.example/',
      token,
    });
    expect((await sendForm(owner, { id: hostile.id })).html).toContain('on another host');
    for (const change of [{ token: 'short' }, { token: undefined }, { url: undefined }]) {
      hostile.routes.login = () => ({
        success: true,
        login: 'anna',
        url: hostile.siteUrl,
        token,
        ...change,
      });
      expect((await sendForm(owner, { id: hostile.id })).status).toBe(502);
    }
    expect(await readLogins(hostile.id)).toHaveLength(4);
  });

  it('does not call a site without the capability, without a key of its own, or without a valid license', async () => {
    const closed = await newSite();
    const codeOf = async () => (await owner.get(usersPath(closed.id))).body.code;
    const calls = closed.calls.length;
    await setCapabilities(closed.id, ['site_key', 'signed_calls', 'install']);
    expect(await codeOf()).toBe('login_unsupported');
    await setCapabilities(closed.id, ['login']);
    await fixture.panel.pool.query(
      'UPDATE license_activations SET proven_endpoint_url = NULL, proven_at = NULL WHERE site_id = $1',
      [closed.id],
    );
    expect(await codeOf()).toBe('address_not_proven');
    await fixture.panel.pool.query(
      "UPDATE license_activations SET status = 'deactivated', deactivated_at = now() WHERE site_id = $1",
      [closed.id],
    );
    expect(await codeOf()).toBe('site_not_active');
    expect((await sendForm(owner, { id: closed.id })).status).toBe(409);
    expect(closed.calls).toHaveLength(calls);
    expect((await owner.get(`/panel/sites/${closed.id}`)).body.site.remote.can_log_in).toBe(true);
  });
});
