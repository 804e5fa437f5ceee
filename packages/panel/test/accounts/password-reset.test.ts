import { registerSecret, testLog } from '@steward/testkit/logs.ts';
import {
  type ReceivedMail,
  type SmtpSink,
  startSmtpSink,
} from '@steward/testkit/notifications/smtp-sink.ts';
import { authenticatorApp } from '@steward/testkit/panel/authenticator-app.ts';
import {
  browser,
  newEmail,
  newPassword,
  newSignedInUser,
  newUser,
  type Person,
  signIn,
} from '@steward/testkit/panel/signed-in-user.ts';
import {
  createTestPanel,
  OPERATOR,
  type TestPanel,
  useTestPanel,
} from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const BASE_URL = 'https://panel.example.com';
let panel: TestPanel;
let smtp: SmtpSink;
let owner: Person;

beforeAll(async () => {
  smtp = await startSmtpSink();
  const from = 'Steward <steward@example.com>';
  panel = await createTestPanel({ baseUrl: BASE_URL, smtp: { url: smtp.url, from } });
  owner = await newSignedInUser(panel);
});
afterAll(async () => {
  await panel.close();
  await smtp.stop();
});
// A limit per client address must not end other tests.
beforeEach(() => panel.pool.query('DELETE FROM password_attempts'));

const minutesLater = (minutes: number) => {
  panel.fakes.now = new Date(panel.fakes.now.getTime() + minutes * 60_000);
};
const request = (email: string, options = {}) =>
  browser(panel).post('/panel/request-password-reset', { email }, options);
const mailsTo = ({ email }: { email: string }): ReceivedMail[] =>
  smtp.mails.filter(({ to }) => to.includes(email));
const choose = (token: string, new_password: string) =>
  browser(panel).post('/panel/set-password', { token, new_password });
const countOf = async (table: string, userId: number) =>
  (await panel.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])).rows.length;
/** The work of earlier requests has ended: this one does the same, and its mail has arrived. */
async function finishBackground(): Promise<void> {
  const user = await newUser(panel);
  await request(user.email);
  await expect.poll(() => mailsTo(user)).toHaveLength(1);
}

/** Joins the lines that quoted-printable has broken. */
const decode = ({ raw }: ReceivedMail) => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');

async function requestLink(user: { email: string }, options = {}): Promise<string> {
  const before = mailsTo(user).length;
  expect((await request(user.email, options)).status).toBe(200);
  await expect.poll(() => mailsTo(user)).toHaveLength(before + 1);
  const url = /https?:\/\/\S+#token=[\w-]+/.exec(decode(mailsTo(user).at(-1) as ReceivedMail))?.[0];
  const token = url?.split('#token=')[1] ?? '';
  registerSecret(token);
  expect(url).toBe(`${BASE_URL}/set-password#token=${token}`);
  return token;
}

describe('a password reset by mail', () => {
  it('sets the password once, ends all sessions, opens none, and tells the user', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    const token = await requestLink(user);
    const password = newPassword();
    const { status, body, cookies } = await choose(token, password);
    expect({ status, body, cookies }).toEqual({
      status: 200,
      body: { success: true },
      cookies: [],
    });
    expect(await countOf('sessions', user.id)).toBe(0);
    expect((await user.get('/panel/session')).status).toBe(401);
    expect((await choose(token, newPassword())).body.code).toBe('invalid_link');
    expect((await signIn(panel, user)).status).toBe(401);
    expect((await signIn(panel, { ...user, password })).status).toBe(200);
    await expect.poll(() => mailsTo(user)).toHaveLength(2);
    expect(mailsTo(user)[1]?.raw).toContain('Subject: [Steward] Your password was changed');
    expect(await listAuditRecords(panel, 'user', user.id)).toMatchObject([
      { action: 'create' },
      { action: 'mail_reset_link', actor: 'system' },
      { action: 'set_password', actor: String(user.id), context: { by: 'mail' } },
    ]);
  });

  it('keeps the second factor', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    const { totp } = (await user.post('/panel/account/totp')).body;
    const app = authenticatorApp(totp.secret);
    const code = await app.codeAt(panel.fakes.now);
    const activated = await user.post('/panel/account/totp/activate', { code });
    activated.body.backup_codes.forEach(registerSecret);
    const password = newPassword();
    const { status, body } = await choose(await requestLink(user), password);
    expect([status, body]).toEqual([200, { success: true }]);
    const signedIn = await signIn(panel, { ...user, password });
    expect(signedIn).toMatchObject({ status: 401, body: { code: 'two_factor_required' } });
  });

  it('works for one hour', async () => {
    const user = await newUser(panel);
    const token = await requestLink(user);
    minutesLater(60);
    expect((await choose(token, newPassword())).body.code).toBe('invalid_link');
    expect((await signIn(panel, user)).status).toBe(200);
    // The expired link goes with the next request.
    await requestLink(user);
    expect(await countOf('one_time_links', user.id)).toBe(1);
  });

  it('changes only the account of the link, also if two requests use it at once', async () => {
    const [anna, ben] = [await newUser(panel), await newUser(panel)];
    const token = await requestLink(anna);
    const results = await Promise.all([choose(token, newPassword()), choose(token, newPassword())]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect((await signIn(panel, ben)).status).toBe(200);
    expect((await signIn(panel, anna)).status).toBe(401);
  });

  it('never uses the Host header', async () => {
    const user = await newUser(panel);
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    await requestLink(user, { headers });
    expect(mailsTo(user)[0]?.raw).not.toContain('evil.example');
  });

  it('is refused to pages of other sites', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(await request(owner.email, { headers })).toMatchObject({
      status: 403,
      body: { code: 'cross_site_request' },
    });
  });

  it('stores and logs no token', async () => {
    const user = await newUser(panel);
    const token = await requestLink(user);
    const { rows } = await panel.pool.query(
      `SELECT l::text FROM one_time_links l UNION ALL SELECT d::text FROM notification_deliveries d
       UNION ALL SELECT a::text FROM audit_log a`,
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(testLog()).not.toContain(token);
  });
});

describe('an address without an account that can sign in', () => {
  it('gets the same response, and no e-mail', async () => {
    const invited = await panel.services.users.invite(
      { email: newEmail(), role: 'viewer' },
      OPERATOR,
    );
    registerSecret(invited.password_link.url.split('#token=')[1] ?? '');
    const disabled = await newUser(panel);
    await panel.services.users.update(disabled.id, { disabled: true }, OPERATOR);
    const known = await newUser(panel);
    const emails = [known.email, newEmail(), invited.user.email, disabled.email];
    const responses = [];
    for (const email of emails) {
      const { status, body, headers } = await request(email);
      const { date: _date, 'x-request-id': _id, ...others } = headers;
      responses.push(JSON.stringify({ status, body, others }));
    }
    expect(new Set(responses).size).toBe(1);
    await finishBackground();
    expect(emails.map((email) => mailsTo({ email }).length)).toEqual([1, 0, 0, 0]);
    expect(await countOf('one_time_links', disabled.id)).toBe(0);
    // The invitation still works.
    expect(await countOf('one_time_links', invited.user.id)).toBe(1);
  });

  it('leaves no rows but the counter of the client, however often it is requested', async () => {
    const count = async () => {
      const { rows } = await panel.pool.query(
        `SELECT (SELECT count(*)::int FROM one_time_links) AS links,
           (SELECT count(*)::int FROM notification_deliveries) AS deliveries,
           (SELECT count(*)::int FROM audit_log) AS records,
           (SELECT count(*)::int FROM password_attempts) AS counters`,
      );
      return rows[0];
    };
    const user = await newUser(panel);
    const before = await count();
    for (let each = 0; each < 9; each++) await request(newEmail());
    // Its work begins after that of the others.
    await requestLink(user);
    const { links, deliveries, records } = before;
    expect(await count()).toEqual({
      links: links + 1,
      deliveries: deliveries + 1,
      records: records + 1,
      counters: 1,
    });
  });
});

describe('the limits', () => {
  it('refuse the eleventh request of a client, for known and unknown addresses', async () => {
    const from = { remoteAddress: '198.51.100.20' };
    for (let each = 0; each < 10; each++) {
      expect((await request(newEmail(), from)).status).toBe(200);
    }
    const user = await newUser(panel);
    for (const email of [user.email, newEmail()]) {
      const { status, headers } = await request(email, from);
      expect([status, headers['retry-after']]).toEqual([429, '900']);
    }
    expect(await listAuditRecords(panel, 'sign_in', 'reset')).toHaveLength(1);
    expect((await request(user.email, { remoteAddress: '198.51.100.21' })).status).toBe(200);
    await expect.poll(() => mailsTo(user)).toHaveLength(1);
  });

  it('send three e-mails to an account in 15 minutes and ten a day, from many addresses', async () => {
    const user = await newUser(panel);
    let client = 0;
    const flood = async (requests: number) => {
      const responses = await Promise.all(
        Array.from({ length: requests }, () =>
          request(user.email, { remoteAddress: `203.0.113.${++client}` }),
        ),
      );
      expect(responses.every(({ status }) => status === 200)).toBe(true);
      await finishBackground();
      await expect.poll(() => countPending(user.id)).toBe(0);
    };
    await flood(8);
    expect(mailsTo(user)).toHaveLength(3);
    for (let each = 0; each < 5; each++) {
      minutesLater(15);
      await flood(4);
    }
    expect(mailsTo(user)).toHaveLength(10);
    minutesLater(24 * 60);
    await flood(1);
    expect(mailsTo(user)).toHaveLength(11);
  });

  const countPending = async (userId: number) =>
    (
      await panel.pool.query(
        `SELECT FROM notification_deliveries WHERE user_id = $1 AND status = 'waiting'`,
        [userId],
      )
    ).rows.length;

  it('do not let a stranger void the link of an owner or an earlier e-mail', async () => {
    const user = await newUser(panel);
    await owner.ask('POST', '/auth/confirm', { password: owner.password });
    const { body } = await owner.post(`/panel/users/${user.id}/reset-password`);
    const fromOwner = body.password_link.url.split('#token=')[1];
    registerSecret(fromOwner);
    const earlier = await requestLink(user);
    const later = await requestLink(user);
    expect((await choose(earlier, newPassword())).status).toBe(200);
    // The first one that is used ends all others.
    for (const token of [fromOwner, later]) {
      expect((await choose(token, newPassword())).body.code).toBe('invalid_link');
    }
  });
});

describe('the delivery log', () => {
  it('shows a failed e-mail without its link, and does not send it again', async () => {
    const user = await newUser(panel);
    smtp.refusesRecipients = true;
    await request(user.email);
    await expect.poll(() => smtp.refused).toContain(user.email);
    smtp.refusesRecipients = false;
    const find = async () => {
      const list = await owner.get('/panel/notification-deliveries?limit=100');
      return list.body.deliveries.find(
        ({ recipient }: { recipient: string }) => recipient === user.email,
      );
    };
    await expect.poll(find).toMatchObject({
      type: 'password_reset',
      subject: 'Set a new password',
      status: 'failed',
      error: expect.stringContaining('550'),
    });
    const retried = await owner.post(`/panel/notification-deliveries/${(await find()).id}/retry`);
    expect(retried.body.delivery).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining('requests a new one'),
    });
    expect(mailsTo(user)).toEqual([]);
  });

  it('a user who changes the own password gets an e-mail', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    await user.ask('POST', '/auth/change-password', {
      current_password: user.password,
      new_password: newPassword(),
    });
    await expect.poll(() => mailsTo(user)).toHaveLength(1);
    expect(mailsTo(user)[0]?.raw).toContain('because it concerns your account');
  });
});

describe('without a mail server', () => {
  const other = useTestPanel();

  it('the panel offers no reset, for any address', async () => {
    const user = await newUser(other);
    const visitor = browser(other);
    expect((await visitor.get('/panel/sign-in-options')).body).toEqual({
      success: true,
      password_reset: false,
    });
    for (const email of [user.email, newEmail()]) {
      expect(await visitor.post('/panel/request-password-reset', { email })).toMatchObject({
        status: 409,
        body: { code: 'password_reset_unavailable' },
      });
    }
  });
});
