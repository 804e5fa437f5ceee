import { registerSecret } from '@steward/testkit/logs.ts';
import { newPassword } from '@steward/testkit/panel/signed-in-user.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';

const GENERATED = /^[a-z2-9]{5}(-[a-z2-9]{5}){4}$/;

describe('npx steward user', () => {
  const { steward, withInput, json } = useCommandLine();
  let last = 0;
  const address = () => `user-${++last}@example.com`;
  const create = async (role = 'owner', ...more: string[]) => {
    const user = await json('user', 'create', '--email', address(), '--role', role, ...more);
    registerSecret(user.password);
    return user;
  };

  describe('reset-2fa', () => {
    it('prints the user whose second factors it removed, and fails for an unknown user', async () => {
      const { email } = await create();
      expect(await json('user', 'reset-2fa', email)).toMatchObject({ email, second_factor: false });
      const { stdout } = await steward('user', 'reset-2fa', email);
      expect(stdout).toContain(email);
      expectFailure(
        await steward('user', 'reset-2fa', 'nobody@example.com'),
        /User nobody@example.com does not exist/,
      );
    });
  });

  describe('create', () => {
    it('shows a generated password only once', async () => {
      const user = await create('manager', '--name', 'Mia');
      expect(user).toEqual({
        id: expect.any(Number),
        name: 'Mia',
        email: expect.any(String),
        role: 'manager',
        disabled: false,
        invited: false,
        second_factor: false,
        created_at: expect.any(String),
        last_sign_in_at: null,
        password: expect.stringMatching(GENERATED),
      });
      expect(JSON.stringify(await json('user', 'list'))).not.toContain(user.password);
    });

    it('prints the password on its own line without --json', async () => {
      const { stdout } = await steward('user', 'create', '--email', address(), '--role', 'viewer');
      const [password = '', line = ''] = stdout.split('\n');
      registerSecret(password);
      expect(password).toMatch(GENERATED);
      expect(line).toMatch(/^Created user \d+, user-\d+ \(.*\): viewer, enabled\.$/);
    });

    it('reads a password from standard input and does not show it', async () => {
      const args = ['user', 'create', '--email', address(), '--role', 'owner'];
      const password = newPassword();
      const { code, stdout, stderr } = await withInput(
        `${password}\n`,
        ...args,
        '--password-stdin',
        '--json',
      );
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).not.toHaveProperty('password');
      expect(stdout).not.toContain(password);
    });

    for (const [why, args, message] of [
      ['no address', ['--role', 'owner'], /--email/],
      ['no role', ['--email', 'new@example.com'], /--role/],
      ['an unknown role', ['--email', 'new@example.com', '--role', 'root'], /owner, manager/],
      ['an invalid address', ['--email', 'new', '--role', 'owner'], /name@example\.com/],
      ['an empty address', ['--email', '', '--role', 'owner'], /name@example\.com/],
      ['an address with a space', ['--email', 'a b@c.example', '--role', 'owner'], /name@ex/],
      [
        'a name with a line break',
        ['--email', 'new@example.com', '--role', 'owner', '--name', 'a\nb'],
        /line breaks/,
      ],
      [
        'an unknown option',
        ['--email', 'new@example.com', '--role', 'owner', '--password', 'on the command line'],
        /unknown option/,
      ],
    ] as const) {
      it(`refuses ${why} with one line`, async () => {
        expectFailure(await steward('user', 'create', ...args), message);
      });
    }

    it('refuses the address of another user', async () => {
      const { email } = await create();
      const again = ['user', 'create', '--email', email.toUpperCase(), '--role', 'viewer'];
      expectFailure(await steward(...again), /already/);
    });

    it('refuses a password that is too short, too long or empty, and does not print it', async () => {
      const args = ['user', 'create', '--email', address(), '--role', 'owner', '--password-stdin'];
      for (const password of ['', '\n', 'sh0rt-one', 'x'.repeat(129)]) {
        const failed = await withInput(password, ...args);
        expectFailure(failed, /12 to 128 characters/);
        if (password.length > 2) expect(failed.stderr).not.toContain(password);
      }
    });

    it('refuses a common password, also in reset-password', async () => {
      const { email } = await create('viewer');
      for (const args of [
        ['create', '--email', address(), '--role', 'owner'],
        ['reset-password', email],
      ]) {
        const failed = await withInput('password1234', 'user', ...args, '--password-stdin');
        expectFailure(failed, /too common: attackers try it first/);
      }
    });
  });

  it('lists users as a table and as JSON', async () => {
    const user = await create('viewer');
    const { password, ...shown } = user;
    expect(await json('user', 'list')).toContainEqual(shown);
    const { stdout } = await steward('user', 'list');
    expect(stdout).toMatch(/^ID +E-MAIL +NAME +ROLE +STATUS +LAST SIGN-IN\n/);
    expect(stdout).toContain(user.email);
    expect(stdout).not.toContain(password);
  });

  it('refuses an unknown user', async () => {
    for (const command of ['disable', 'enable', 'reset-password']) {
      const failed = await steward('user', command, 'nobody@example.com');
      expectFailure(failed, /User nobody@example\.com does not exist/);
      expectFailure(await steward('user', command), /missing required argument/);
    }
  });
});

describe('npx steward user, with one owner', () => {
  const { steward, json } = useCommandLine();

  it('prints the next step when no user exists, and keeps the last owner', async () => {
    expect((await steward('user', 'list')).stdout).toContain('steward user create');
    expect(await json('user', 'list')).toEqual([]);
    const owner = ['user', 'create', '--email', 'only@example.com', '--role', 'owner'];
    registerSecret((await json(...owner)).password);
    expectFailure(await steward('user', 'disable', 'only@example.com'), /last owner/);
    expect(await json('user', 'list')).toMatchObject([{ disabled: false }]);
  });
});

describe('npx steward access', () => {
  const { steward, json, createLicense, activate } = useCommandLine();
  const viewer = 'viewer@example.com';
  const access = (...args: string[]) => json('access', ...args, '--user', viewer);

  it('grants, lists and revokes', async () => {
    const user = ['user', 'create', '--email', viewer, '--role', 'viewer'];
    registerSecret((await json(...user)).password);
    const { id, license_key } = await createLicense();
    const { site_id } = await activate(license_key, 'https://granted.example.com');

    expect((await steward('access', 'list', '--user', viewer)).stdout).toBe(
      'No access grants. Owners see all sites without a grant.\n',
    );
    expect(await access('grant', '--site', String(site_id))).toMatchObject({
      sites: [{ site_id, site_url: 'https://granted.example.com' }],
      licenses: [],
    });
    expect(await access('grant', '--license', String(id))).toMatchObject({
      sites: [{ site_id }],
      licenses: [{ license_id: id }],
    });
    expect(await access('list')).toMatchObject({ licenses: [{ license_id: id }] });
    const { stdout } = await steward('access', 'list', '--user', viewer);
    expect(stdout).toContain('granted.example.com');
    await access('revoke', '--site', String(site_id));
    expect(await access('revoke', '--license', String(id))).toEqual({
      sites: [],
      licenses: [],
      tags: [],
      clients: [],
    });
    for (const target of [
      ['--site', String(site_id)],
      ['--license', String(id)],
      ['--site', '999999'],
      ['--tag', 'unknown'],
    ]) {
      const revoked = await steward('access', 'revoke', '--user', viewer, ...target);
      expectFailure(revoked, /The user has no such access grant\. Nothing was revoked\./);
    }
  });

  for (const [why, args, message] of [
    ['no user', ['--site', '1'], /--user/],
    ['an unknown user', ['--user', 'x@example.com', '--site', '1'], /User x@example\.com does not/],
    [
      'neither a site nor a license',
      ['--user', viewer],
      /one of --site, --license, --tag and --client/,
    ],
    [
      'both a site and a license',
      ['--user', viewer, '--site', '1', '--license', '1'],
      /one of --site, --license, --tag and --client/,
    ],
    ['an unknown site', ['--user', viewer, '--site', '999999'], /no such site/],
    ['an unknown license', ['--user', viewer, '--license', '999999'], /License 999999 does not/],
    ['an invalid site id', ['--user', viewer, '--site', 'abc'], /id of a site/],
    ['an invalid license id', ['--user', viewer, '--license', '0'], /id of a license/],
  ] as const) {
    it(`refuses a grant with ${why}`, async () => {
      expectFailure(await steward('access', 'grant', ...args), message);
    });
  }
});
