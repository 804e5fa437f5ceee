import { registerSecret } from '@steward/testkit/logs.ts';
import { sessionCookie, signInAt } from '@steward/testkit/panel/panel-client.ts';
import type { PanelProcess } from '@steward/testkit/panel/panel-process.ts';
import { newPassword } from '@steward/testkit/panel/signed-in-user.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const ownerWith = (token: string) => ({
  token,
  name: 'First Owner',
  email: 'first@example.com',
  password: newPassword(),
});

describe('npx steward serve on a panel without users', () => {
  async function createEmptyDatabase() {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    return { DATABASE_URL: database.url, DATA_DIR: database.dataDir, SECRET_KEY: TEST_SECRET };
  }
  /** Reads the token of the setup link, which is printed after the address. */
  const readPrintedToken = async (panel: Awaited<ReturnType<typeof startPanel>>) => {
    await expect.poll(() => panel.output.stdout).toContain('Press Ctrl+C to stop');
    const token = /#token=(\S+)/.exec(panel.output.stdout)?.[1] ?? '';
    registerSecret(token);
    return token;
  };

  it('prints a setup link that all processes accept until another start prints a new one', async () => {
    const env = await createEmptyDatabase();
    const first = await startPanel(env);
    const oldToken = await readPrintedToken(first);
    expect(first.output.stdout).toContain(
      `http://localhost:${new URL(first.url).port}/setup#token=`,
    );
    expect(first.output.stdout).not.toContain('localhost:0');
    // Without DATABASE_URL, the printed command would use an embedded database.
    expect(first.output.stdout).toContain('in this folder and with the environment of the panel:');
    // Variables of better-auth must not change its signing secret.
    const second = await startPanel({ ...env, BETTER_AUTH_SECRETS: `1:${'x'.repeat(40)}` });
    const token = await readPrintedToken(second);

    expect((await first.post('/panel/setup', ownerWith(oldToken))).status).toBe(403);
    const request = ownerWith(token);
    const response = await first.post('/panel/setup', request);
    expect(response.status).toBe(200);

    // Later links contain the same port.
    const owner = await signInAt(first.url, request);
    const invited = await owner.post('/panel/users', { email: 'b@example.com', role: 'viewer' });
    expect(invited.body.password_link.url).toContain(
      `http://localhost:${new URL(first.url).port}/`,
    );
    registerSecret(invited.body.password_link.url.split('#token=')[1]);

    // A session is valid in all processes and after a restart.
    const headers = { cookie: sessionCookie(response.cookies) };
    const me = (url: string) => fetch(`${url}/panel/session`, { headers });
    expect((await me(second.url)).status).toBe(200);
    expect(await first.end('SIGTERM')).toBe(0);
    const third = await startPanel(env);
    expect(await (await me(third.url)).json()).toMatchObject({ user: { email: request.email } });
    await expect.poll(() => third.output.stdout).toContain('Press Ctrl+C to stop');
    expect(third.output.stdout).not.toContain('#token=');
    for (const panel of [second, third]) expect(await panel.end('SIGTERM')).toBe(0);
  });

  it('counts wrong passwords across all processes and restarts', async () => {
    const env = await createEmptyDatabase();
    const password = newPassword();
    const create = ['user', 'create', '--email', 'a@example.com', '--role', 'owner'];
    const made = await steward([...create, '--password-stdin'], env, `${password}\n`);
    expect([made.code, made.stderr]).toEqual([0, '']);

    const attempt = async (panel: PanelProcess, secret: string) =>
      (await panel.post('/auth/sign-in/email', { email: 'a@example.com', password: secret }))
        .status;
    const first = await startPanel(env);
    for (let n = 0; n < 5; n++) expect(await attempt(first, 'a wrong password')).toBe(401);
    const second = await startPanel(env);
    for (let n = 0; n < 5; n++) expect(await attempt(second, 'a wrong password')).toBe(401);
    for (const panel of [first, second]) expect(await attempt(panel, password)).toBe(429);
    const reset = ['user', 'reset-password', 'a@example.com', '--password-stdin'];
    await steward(reset, env, password);
    for (const panel of [first, second]) expect(await attempt(panel, password)).toBe(200);
    for (const panel of [first, second]) expect(await panel.end('SIGTERM')).toBe(0);
  });
});
