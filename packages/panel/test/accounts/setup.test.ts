import { registerSecret } from '@steward/testkit/logs.ts';
import {
  browser,
  newPassword,
  sessionCookie,
  signIn,
} from '@steward/testkit/panel/signed-in-user.ts';
import { createTestPanel, OPERATOR, type TestPanel } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const DAY_MS = 24 * 60 * 60 * 1000;

async function createEmptyPanel(): Promise<TestPanel> {
  const panel = await createTestPanel();
  onTestFinished(() => panel.close());
  return panel;
}

/** Creates a setup link as `serve` does at its start. */
async function newToken(panel: TestPanel): Promise<string> {
  const link = await panel.services.setup.start(OPERATOR);
  return readToken(link?.url ?? '');
}

function readToken(text: string): string {
  const token = /#token=(\S+)/.exec(text)?.[1] ?? '';
  registerSecret(token);
  return token;
}

const ownerWith = (token: string, email = 'first@example.com') => ({
  token,
  name: 'First Owner',
  email,
  password: newPassword(),
});

describe('GET /panel/setup', () => {
  it('reports that setup is needed, and returns no token', async () => {
    const panel = await createEmptyPanel();
    await newToken(panel);
    const { status, body } = await browser(panel).get('/panel/setup');
    expect([status, body]).toEqual([200, { success: true, setup_needed: true }]);
  });

  it('returns 409 when a user exists', async () => {
    const panel = await createEmptyPanel();
    const input = { email: 'a@example.com', role: 'viewer' as const, password: newPassword() };
    await panel.services.users.create(input, OPERATOR);
    const { status, body } = await browser(panel).get('/panel/setup');
    expect([status, body.code]).toEqual([409, 'setup_complete']);
  });
});

describe('POST /panel/setup', () => {
  it('creates the first owner and opens a session', async () => {
    const panel = await createEmptyPanel();
    const request = ownerWith(await newToken(panel), 'First@Example.com');
    const { status, body, cookies } = await browser(panel).post('/panel/setup', request);
    expect(status).toBe(200);
    const user = { id: 1, name: 'First Owner', email: 'first@example.com', role: 'owner' };
    expect(body).toEqual({ success: true, user, csrf_token: expect.any(String) });
    const owner = browser(panel, sessionCookie(cookies), body.csrf_token);
    expect((await owner.get('/panel/users')).body.users).toHaveLength(1);
    expect((await signIn(panel, { ...request, id: 1 })).status).toBe(200);
    expect(await listAuditRecords(panel, 'user', 1)).toMatchObject([
      { action: 'create', actor: 'system', context: { via: 'panel', role: 'owner' } },
    ]);
  });

  it('creates an unlimited license for the first sites, unless a license exists', async () => {
    const panel = await createEmptyPanel();
    await browser(panel).post('/panel/setup', ownerWith(await newToken(panel)));
    expect(await panel.services.licenses.list()).toMatchObject([
      {
        name: 'Default',
        plan: { name: 'Default' },
        site_limit: null,
        expires_at: null,
        valid: true,
      },
    ]);
    expect(await listAuditRecords(panel, 'license', 1)).toMatchObject([{ action: 'create' }]);

    const older = await createEmptyPanel();
    await older.license({ planName: 'Agency' });
    await browser(older).post('/panel/setup', ownerWith(await newToken(older)));
    expect(await older.services.licenses.list()).toMatchObject([{ plan: { name: 'Agency' } }]);
  });

  it('works once, and then returns 409 for any token', async () => {
    const panel = await createEmptyPanel();
    const token = await newToken(panel);
    expect((await browser(panel).post('/panel/setup', ownerWith(token))).status).toBe(200);
    for (const each of [token, 'nonsense']) {
      const { status, body } = await browser(panel).post(
        '/panel/setup',
        ownerWith(each, 'b@b.example'),
      );
      expect([status, body.code]).toEqual([409, 'setup_complete']);
    }
    expect(await panel.services.users.list()).toHaveLength(1);
    expect(await panel.services.setup.start(OPERATOR)).toBeNull();
  });

  it('accepts exactly one of many concurrent requests', async () => {
    const panel = await createEmptyPanel();
    const token = await newToken(panel);
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        browser(panel).post('/panel/setup', ownerWith(token, `owner-${n}@example.com`)),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    // The others fail because the setup is complete or, slightly earlier, because the link is used.
    const refused = responses.filter(({ status }) => status === 409 || status === 403);
    expect(refused).toHaveLength(7);
    expect(await panel.services.users.list()).toHaveLength(1);
  });

  it('does not create a first owner after a concurrent `user create`', async () => {
    const panel = await createEmptyPanel();
    const token = await newToken(panel);
    const operatorInput = {
      email: 'op@example.com',
      role: 'owner' as const,
      password: newPassword(),
    };
    const [created, response] = await Promise.all([
      panel.services.users.create(operatorInput, OPERATOR),
      browser(panel).post('/panel/setup', ownerWith(token)),
    ]);
    const users = await panel.services.users.list();
    // The setup is refused after `user create`; `user create` is allowed after the setup.
    expect(users.map(({ email }) => email)).toContain(created.email);
    // The setup fails because it is complete or, slightly earlier, because the link is used.
    expect(users.length === 2 ? [200] : [409, 403]).toContain(response.status);
    if (users.length === 2) expect(users[0]?.email).toBe('first@example.com');
  });

  it('returns 403 for an unknown, expired or replaced token', async () => {
    const panel = await createEmptyPanel();
    const replaced = await newToken(panel);
    const expired = await newToken(panel);
    const attempt = async (token: string) => {
      const { status, body } = await browser(panel).post('/panel/setup', ownerWith(token));
      return [status, body.code];
    };
    expect(await attempt(`stwl_${'x'.repeat(43)}`)).toEqual([403, 'invalid_link']);
    expect(await attempt(replaced)).toEqual([403, 'invalid_link']);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + DAY_MS);
    expect(await attempt(expired)).toEqual([403, 'invalid_link']);
    expect(await attempt(await newToken(panel))).toEqual([200, undefined]);
  });

  it('keeps the token valid after a refused request', async () => {
    const panel = await createEmptyPanel();
    const token = await newToken(panel);
    for (const [change, message] of [
      [{ email: 'no address' }, /^email/],
      [{ password: 'short' }, /^password must have at least 12/],
      [{ name: '\n' }, /^name/],
      [{ name: '' }, /^name/],
    ] as const) {
      const request = { ...ownerWith(token), ...change };
      const { status, body } = await browser(panel).post('/panel/setup', request);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.error).toMatch(message);
    }
    const headers = { origin: 'https://evil.example' };
    const stolen = await browser(panel).post('/panel/setup', ownerWith(token), { headers });
    expect(stolen.body.code).toBe('cross_site_request');
    expect((await browser(panel).post('/panel/setup', ownerWith(token))).status).toBe(200);
  });

  it('does not store the token in the database', async () => {
    const panel = await createEmptyPanel();
    const token = await newToken(panel);
    const { rows } = await panel.pool.query('SELECT l::text AS link FROM one_time_links l');
    expect(rows).toHaveLength(1);
    expect(rows[0].link).not.toContain(token);
    expect(rows[0].link).not.toContain(Buffer.from(token).toString('hex'));
  });
});
