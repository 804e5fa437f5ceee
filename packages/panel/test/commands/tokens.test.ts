import { registerSecret } from '@steward/testkit/logs.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { beforeAll, describe, expect, it } from 'vitest';

describe('npx steward token', () => {
  const { steward, json } = useCommandLine();
  const user = ['--user', 'olive@example.com'];
  const create = (...more: string[]) =>
    json('token', 'create', ...user, '--name', 'ci', '--role', 'owner', ...more);

  beforeAll(async () => {
    const { password } = await json('user', 'create', '--email', user[1] ?? '', '--role', 'owner');
    registerSecret(password);
  });

  it('creates a token that it shows once, lists it and revokes it', async () => {
    const token = await create('--actions', 'read,update', '--days', '30');
    registerSecret(token.secret);
    expect(token).toMatchObject({
      secret: expect.stringMatching(/^stw_pat_[A-Za-z0-9_-]{43}$/),
      actions: ['read', 'update'],
      access: null,
    });
    const listed = await steward('token', 'list', ...user);
    expect(listed.stdout).toContain(`…${token.last_four}`);
    expect(listed.stdout).not.toContain(token.secret);
    const { stdout } = await steward('token', 'revoke', String(token.id), ...user);
    expect(stdout).toBe(`Revoked access token ${token.id}.\n`);
    expect(await json('token', 'list', ...user)).toEqual([]);
    expectFailure(
      await steward('token', 'revoke', String(token.id), ...user),
      /There is no access token with id/,
    );
  });

  it('prints the token on its own line without --json', async () => {
    const { stdout } = await steward(
      ...['token', 'create', ...user, '--name', 'ci', '--role', 'owner', '--actions', 'read'],
    );
    const [secret = '', line] = stdout.split('\n');
    registerSecret(secret);
    expect(secret).toMatch(/^stw_pat_/);
    expect(line).toMatch(/^Created access token \d+, ci: owner, read, valid until /);
  });

  it('refuses invalid options with the reason', async () => {
    const args = ['token', 'create', ...user, '--name', 'ci', '--role', 'owner'];
    expectFailure(await steward(...args, '--actions', 'all'), /a list of read, sync/);
    expectFailure(await steward(...args, '--actions', 'read', '--days', '500'), /1 to 366/);
    const limited = ['--actions', 'read', '--sites', '1'];
    expectFailure(await steward(...args, ...limited), /role owner has access to all sites/);
    args[args.indexOf('owner')] = 'manager';
    expectFailure(await steward(...args, '--actions', 'read'), /be limited to sites/);
    expectFailure(await steward(...args, ...limited), /site/i);
  });
});
