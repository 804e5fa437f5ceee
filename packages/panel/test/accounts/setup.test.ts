import { noteSecret } from '@steward/testkit/logs.ts';
import { browser, newPassword, sessionCookie, signIn } from '@steward/testkit/panel/people.ts';
import { createTestPanel, OPERATOR, type TestPanel } from '@steward/testkit/panel/test-panel.ts';
import { auditOf } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const DAY_MS = 24 * 60 * 60 * 1000;

async function emptyPanel(): Promise<TestPanel> {
  const panel = await createTestPanel();
  onTestFinished(() => panel.close());
  return panel;
}

/** As `serve` does when it starts. */
async function newToken(panel: TestPanel): Promise<string> {
  const link = await panel.services.setup.start(OPERATOR);
  return tokenIn(link?.url ?? '');
}

function tokenIn(text: string): string {
  const token = /#token=(\S+)/.exec(text)?.[1] ?? '';
  noteSecret(token);
  return token;
}

const ownerWith = (token: string, email = 'first@example.com') => ({
  token,
  name: 'First Owner',
  email,
  password: newPassword(),
});

describe('GET /panel/setup', () => {
  it('says that there is no user yet, and nothing that would help to become one', async () => {
    const panel = await emptyPanel();
    await newToken(panel);
    const { status, body } = await browser(panel).get('/panel/setup');
    expect([status, body]).toEqual([200, { success: true, setup_needed: true }]);
  });

  it('is 409 once there is one', async () => {
    const panel = await emptyPanel();
    const order = { email: 'a@example.com', role: 'viewer' as const, password: newPassword() };
    await panel.services.users.create(order, OPERATOR);
    const { status, body } = await browser(panel).get('/panel/setup');
    expect([status, body.code]).toEqual([409, 'setup_complete']);
  });
});

describe('POST /panel/setup', () => {
  it('makes the first owner and signs them in', async () => {
    const panel = await emptyPanel();
    const request = ownerWith(await newToken(panel), 'First@Example.com');
    const { status, body, cookies } = await browser(panel).post('/panel/setup', request);
    expect(status).toBe(200);
    const user = { id: 1, name: 'First Owner', email: 'first@example.com', role: 'owner' };
    expect(body).toEqual({ success: true, user, csrf_token: expect.any(String) });
    const owner = browser(panel, sessionCookie(cookies), body.csrf_token);
    expect((await owner.get('/panel/users')).body.users).toHaveLength(1);
    expect((await signIn(panel, { ...request, id: 1 })).status).toBe(200);
    expect(await auditOf(panel, 'user', 1)).toMatchObject([
      { action: 'create', actor: 'system', context: { via: 'panel', role: 'owner' } },
    ]);
  });

  it('works once: afterwards it is 409, whatever the token', async () => {
    const panel = await emptyPanel();
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

  it('lets exactly one of many win that come at the same moment', async () => {
    const panel = await emptyPanel();
    const token = await newToken(panel);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        browser(panel).post('/panel/setup', ownerWith(token, `owner-${n}@example.com`)),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // The others find the panel set up or, a moment earlier, the link used.
    const refused = answers.filter(({ status }) => status === 409 || status === 403);
    expect(refused).toHaveLength(7);
    expect(await panel.services.users.list()).toHaveLength(1);
  });

  it('and a user made on the command line at the same moment do not both come first', async () => {
    const panel = await emptyPanel();
    const token = await newToken(panel);
    const operators = { email: 'op@example.com', role: 'owner' as const, password: newPassword() };
    const [made, answer] = await Promise.all([
      panel.services.users.create(operators, OPERATOR),
      browser(panel).post('/panel/setup', ownerWith(token)),
    ]);
    const users = await panel.services.users.list();
    // Whoever was second knew: a set-up after the other is refused, a creation after it is allowed.
    expect(users.map(({ email }) => email)).toContain(made.email);
    // It finds the panel set up or, a moment earlier, the link used.
    expect(users.length === 2 ? [200] : [409, 403]).toContain(answer.status);
    if (users.length === 2) expect(users[0]?.email).toBe('first@example.com');
  });

  it('is 403 with a token that was never given, has expired, or was replaced', async () => {
    const panel = await emptyPanel();
    const replaced = await newToken(panel);
    const expired = await newToken(panel);
    const attempt = async (token: string) => {
      const { status, body } = await browser(panel).post('/panel/setup', ownerWith(token));
      return [status, body.code];
    };
    expect(await attempt(`stwl_${'x'.repeat(43)}`)).toEqual([403, 'invalid_link']);
    expect(await attempt(replaced)).toEqual([403, 'invalid_link']);
    panel.edges.now = new Date(panel.edges.now.getTime() + DAY_MS);
    expect(await attempt(expired)).toEqual([403, 'invalid_link']);
    expect(await attempt(await newToken(panel))).toEqual([200, undefined]);
  });

  it('is not spent by a request that is refused', async () => {
    const panel = await emptyPanel();
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

  it('has a token that is not in the database', async () => {
    const panel = await emptyPanel();
    const token = await newToken(panel);
    const { rows } = await panel.pool.query('SELECT l::text AS link FROM one_time_links l');
    expect(rows).toHaveLength(1);
    expect(rows[0].link).not.toContain(token);
    expect(rows[0].link).not.toContain(Buffer.from(token).toString('hex'));
  });
});
