import { newEmail, newUser, signIn } from '@steward/testkit/panel/signed-in-user.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

describe('failed sign-ins from many addresses', () => {
  const panel = useTestPanel();
  const DAY_MS = 24 * 60 * 60 * 1000;
  let addresses = 0;
  /** Each attempt comes from another network, so no limit per address applies. */
  const fail = (email: string) =>
    signIn(
      panel,
      { id: 0, email, password: 'a wrong password' },
      { remoteAddress: `198.51.${Math.floor(addresses / 250)}.${(addresses++ % 250) + 1}` },
    );
  const nextDay = () => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + DAY_MS);
    return panel.services.housekeeping.run();
  };

  it('get at most 100 audit records a day for unknown users, and one record with the number of the others', async () => {
    for (let attempt = 0; attempt < 103; attempt++) {
      expect((await fail(newEmail())).status).toBe(401);
    }
    expect(await listAuditRecords(panel, 'sign_in', 'unknown')).toHaveLength(100);
    await nextDay();
    const records = await listAuditRecords(panel, 'sign_in', 'unknown');
    expect(records.slice(100)).toMatchObject([
      { action: 'fail', context: { reason: 'unknown_user', repeated: 3, day: '2026-06-01' } },
    ]);
    // The others start again.
    await fail(newEmail());
    expect(await listAuditRecords(panel, 'sign_in', 'unknown')).toHaveLength(102);
  });

  it('are counted apart for each user, and a sign-in is always recorded', async () => {
    const user = await newUser(panel);
    for (let attempt = 0; attempt < 3; attempt++) await fail(user.email);
    expect(await listAuditRecords(panel, 'sign_in', user.id)).toHaveLength(3);
    expect((await signIn(panel, user)).status).toBe(200);
    expect(await listAuditRecords(panel, 'sign_in', user.id)).toHaveLength(4);
  });

  it('leave no attempts and no challenges behind, even without a sign-in', async () => {
    await fail(newEmail());
    await panel.post('/auth/passkey/options', {});
    await nextDay();
    for (const table of ['password_attempts', 'verifications'] as const) {
      const { rows } = await panel.pool.query(`SELECT FROM ${table}`);
      expect([table, rows.length]).toEqual([table, 0]);
    }
  });

  it('cannot start any number of passkey sign-ins', async () => {
    const start = () =>
      panel.app.inject({
        method: 'POST',
        url: '/auth/passkey/options',
        remoteAddress: '203.0.113.9',
        headers: { origin: 'http://localhost:8080' },
      });
    expect((await start()).statusCode).toBe(200);
    await panel.pool.query(
      `UPDATE password_attempts SET attempts = 500 WHERE subject = 'passkey_start:203.0.113.9'`,
    );
    const { statusCode, headers } = await start();
    expect([statusCode, headers['retry-after']]).toEqual([429, '900']);
  });
});
