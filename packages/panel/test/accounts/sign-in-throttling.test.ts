import {
  type Credentials,
  newEmail,
  newPassword,
  newSignedInUser,
  newUser,
  signIn,
} from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

describe('sign-in throttling', () => {
  const panel = useTestPanel();
  const from = (remoteAddress: string) => ({ remoteAddress });
  const minutesLater = (minutes: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + minutes * 60_000);
  };
  const countFor = (subject: string, attempts: number) =>
    panel.db
      .insertInto('password_attempts')
      .values({
        subject,
        attempts,
        window_ends_at: new Date(panel.fakes.now.getTime() + 15 * 60_000),
      })
      .execute();

  it('refuses the eleventh attempt on an account from one address, even with the correct password', async () => {
    const user = await newUser(panel);
    for (let attempt = 1; attempt <= 10; attempt++) {
      const wrong = { ...user, password: 'a wrong password' };
      expect((await signIn(panel, wrong, from('198.51.100.7'))).status).toBe(401);
    }
    minutesLater(5);
    const { status, body, headers } = await signIn(panel, user, from('198.51.100.7'));
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(headers['retry-after']).toBe('600');
    expect(await listAuditRecords(panel, 'sign_in', 'pair')).toMatchObject([
      { action: 'throttle' },
    ]);
    minutesLater(10);
    expect((await signIn(panel, user, from('198.51.100.7'))).status).toBe(200);
  });

  it('counts attempts on an unknown account in the same way', async () => {
    const unknownUser = { id: 0, email: newEmail(), password: 'a wrong password' };
    const responses = [];
    for (let attempt = 1; attempt <= 11; attempt++) {
      responses.push((await signIn(panel, unknownUser, from('192.0.2.1'))).status);
    }
    expect(responses).toEqual([...Array(10).fill(401), 429]);
  });

  it('applies the limit to concurrent attempts', async () => {
    const user = await newUser(panel);
    const wrong = { ...user, password: 'a wrong password' };
    const responses = await Promise.all(
      Array.from({ length: 15 }, () => signIn(panel, wrong, from('192.0.2.100'))),
    );
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  describe('of an attacker with many addresses', () => {
    const knownDevice = async (user: Credentials) => {
      const { cookies } = await signIn(panel, user, from('203.0.113.70'));
      const cookie = cookies.find((each) => each.startsWith('steward.known_device='));
      expect(cookie).toMatch(/; Max-Age=2592000; Path=\/auth; HttpOnly; SameSite=Strict$/);
      return { headers: { cookie: cookie?.split(';', 1)[0] ?? '' } };
    };
    /** Makes the 100th and the 101st attempt, each from its own address. */
    const guess = async (user: Credentials) => {
      const wrong = { ...user, password: 'a wrong password' };
      await panel.pool.query(`DELETE FROM password_attempts WHERE subject LIKE 'account:%'`);
      await countFor(`account:${panel.secrets.fingerprint(`sign-in/${user.email}`)}`, 99);
      return [
        (await signIn(panel, wrong, from('198.18.0.1'))).status,
        (await signIn(panel, wrong, from('198.18.0.2'))).status,
      ];
    };

    it('refuses attempts after a hundred, and does not lock the user out', async () => {
      const user = await newUser(panel);
      const device = await knownDevice(user);
      expect(await guess(user)).toEqual([401, 429]);
      // An unknown browser at another address cannot be distinguished from the attacker.
      expect((await signIn(panel, user, from('203.0.113.71'))).status).toBe(429);
      // The user's known device can sign in, at its own address and at an address of the attacker.
      for (const address of ['203.0.113.70', '198.18.0.1']) {
        expect((await signIn(panel, user, { ...device, ...from(address) })).status).toBe(200);
      }
    });

    it('gives a known device its own limit of ten attempts', async () => {
      const user = await newUser(panel);
      const device = await knownDevice(user);
      const wrong = { ...user, password: 'a wrong password' };
      for (let attempt = 1; attempt <= 10; attempt++) {
        expect((await signIn(panel, wrong, { ...device, ...from('192.0.2.9') })).status).toBe(401);
      }
      expect((await signIn(panel, user, { ...device, ...from('192.0.2.8') })).status).toBe(429);
      expect((await signIn(panel, user, from('192.0.2.9'))).status).toBe(200);
    });

    it('ignores a device of another account, a forged one and an expired one', async () => {
      const [user, other] = [await newUser(panel), await newUser(panel)];
      const [device, another] = [await knownDevice(user), await knownDevice(other)];
      await guess(user);
      const { cookie: genuine } = device.headers;
      const forged = [
        genuine.replace(/.(?=.$)/, (character) => (character === 'A' ? 'B' : 'A')),
        // The same bytes in another spelling: base64url ignores the low bits of the last character.
        genuine.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
        `${genuine}x`,
        'steward.known_device=a.b.c',
      ];
      for (const cookie of [another.headers.cookie, ...forged]) {
        const tried = await signIn(panel, user, { headers: { cookie }, ...from('192.0.2.20') });
        expect(tried.status).toBe(429);
      }
      minutesLater(30 * 24 * 60);
      await guess(user);
      expect((await signIn(panel, user, { ...device, ...from('192.0.2.21') })).status).toBe(429);
    });
  });

  it('limits an address, or an IPv6 network, that tries many accounts', async () => {
    await countFor('address:2001:db8:1:2::/64', 48);
    const guess = async (address: string) =>
      (await signIn(panel, { id: 0, email: newEmail(), password: 'a guess' }, from(address)))
        .status;
    expect(await guess('2001:db8:1:2::49')).toBe(401);
    expect(await guess('2001:db8:1:2:ffff::50')).toBe(401);
    expect(await guess('2001:db8:1:2::51')).toBe(429);
    expect(await guess('2001:db8:1:2::52')).toBe(429);
    expect(await guess('2001:db8:1:3::1')).toBe(401);
    expect(await listAuditRecords(panel, 'sign_in', 'address')).toMatchObject([
      { action: 'throttle', ip: '2001:db8:1:2::51' },
    ]);
  });

  it('does not let one address exhaust the limit of an account for other addresses', async () => {
    const user = await newUser(panel);
    const wrong = { ...user, password: 'a wrong password' };
    for (let attempt = 1; attempt <= 110; attempt++) {
      expect([401, 429]).toContain((await signIn(panel, wrong, from('198.51.100.77'))).status);
    }
    expect((await signIn(panel, user, from('198.51.100.78'))).status).toBe(200);
  });

  it('clears wrong attempts after a correct one', async () => {
    const user = await newUser(panel);
    for (let round = 0; round < 2; round++) {
      for (let attempt = 1; attempt <= 9; attempt++) {
        await signIn(panel, { ...user, password: 'a wrong password' }, from('203.0.113.50'));
      }
      expect((await signIn(panel, user, from('203.0.113.50'))).status).toBe(200);
    }
  });

  it('does not count correct passwords against an address', async () => {
    const user = await newUser(panel);
    await countFor('address:203.0.113.9', 49);
    for (let n = 0; n < 3; n++) {
      expect((await signIn(panel, user, from('203.0.113.9'))).status).toBe(200);
    }
  });

  it('unlocks an account when its password is reset', async () => {
    const user = await newUser(panel);
    const address = from('203.0.113.90');
    for (let attempt = 1; attempt <= 11; attempt++) {
      await signIn(panel, { ...user, password: 'a wrong password' }, address);
    }
    const password = newPassword();
    await panel.services.passwords.set(user.id, password, OPERATOR);
    expect((await signIn(panel, { ...user, password }, address)).status).toBe(200);
  });

  it('does not store submitted addresses, and deletes expired counters', async () => {
    const stored = async () =>
      (await panel.pool.query('SELECT subject FROM password_attempts')).rows.map(
        ({ subject }) => subject as string,
      );
    await signIn(panel, { id: 0, email: 'typed@example.com', password: 'x' });
    expect((await stored()).join()).not.toContain('typed');
    minutesLater(16);
    await newSignedInUser(panel);
    expect((await stored()).sort()).toEqual([
      expect.stringMatching(/^account:[0-9a-f]{64}$/),
      'address:127.0.0.1',
    ]);
  });
});
