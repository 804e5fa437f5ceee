import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward', () => {
  const { steward, withInput, json, createLicense, activate } = useCommandLine();

  describe('license create', () => {
    it('prints the key with the new license, and not in license show', async () => {
      const license = await createLicense('--expires', '2030-01-31T12:00:00Z');
      expect(license).toMatchObject({
        id: expect.any(Number),
        license_key: expect.stringMatching(/^STWD(-[0-9A-Z]{7}){4}$/),
        status: 'inactive',
        valid: true,
        plan: { name: 'Pro', slug: 'pro', services: ['remote'] },
        site_limit: 3,
        expires_at: '2030-01-31T12:00:00.000Z',
      });
      const shown = await json('license', 'show', String(license.id));
      expect(JSON.stringify(shown)).not.toContain(license.license_key);
      expect(shown).toMatchObject({ key_last_six: license.license_key.slice(-6), activations: [] });
    });

    it('prints an array for more than one license', async () => {
      const licenses = await createLicense('--count', '3');
      expect(new Set(licenses.map((each: { license_key: string }) => each.license_key)).size).toBe(
        3,
      );
    });

    it('accepts unlimited, a past date and services', async () => {
      const license = await json(
        ...['license', 'create', '--plan', 'Big', '--site-limit', 'unlimited'],
        ...['--expires', '2020-01-01', '--services', 'remote'],
      );
      expect(license).toMatchObject({ site_limit: null, status: 'expired', valid: false });
    });

    it('is valid through the day of --expires, in UTC', async () => {
      const today = new Date().toISOString().slice(0, 10);
      expect(await createLicense('--expires', today)).toMatchObject({
        expires_at: `${today}T23:59:59.000Z`,
        valid: true,
      });
    });

    it('uses the site limit of an existing plan', async () => {
      await json('plan', 'create', '--name', 'Starter', '--site-limit', '5');
      expect(await json('license', 'create', '--plan', 'starter')).toMatchObject({
        site_limit: 5,
        plan: { name: 'Starter' },
      });
    });

    it('prints the key on its own line without --json', async () => {
      const { stdout } = await steward('license', 'create', '--plan', 'Pro', '--site-limit', '1');
      expect(stdout.split('\n')[0]).toMatch(/^STWD(-[0-9A-Z]{7}){4}$/);
    });

    for (const [why, args, message] of [
      ['no plan', ['--site-limit', '3'], /--plan/],
      ['a limit of 0', ['--plan', 'Pro', '--site-limit', '0'], /from 1/],
      ['a limit that is a word', ['--plan', 'Pro', '--site-limit', 'many'], /unlimited/],
      [
        'a date that does not exist',
        ['--plan', 'Pro', '--site-limit', '1', '--expires', '2027-02-30'],
        /2027-01-31/,
      ],
      [
        'a time without an offset',
        ['--plan', 'Pro', '--site-limit', '1', '--expires', '2027-02-03T10:00'],
        /2027-01-31/,
      ],
      [
        'a date and time that does not exist',
        ['--plan', 'Pro', '--site-limit', '1', '--expires', '2027-02-30T00:00:00Z'],
        /2027-01-31/,
      ],
      [
        'the year 0',
        ['--plan', 'Pro', '--site-limit', '1', '--expires', '0000-01-01'],
        /2027-01-31/,
      ],
      ['a plan name with a line break', ['--plan', 'a\nb', '--site-limit', '1'], /line breaks/],
      [
        'an unknown service',
        ['--plan', 'Pro', '--site-limit', '1', '--services', 'remot'],
        /Unknown service: remot\. Available services: remote/,
      ],
      ['a new plan without a site limit', ['--plan', 'Newest'], /--site-limit/],
      ['a plan without a name', ['--plan', '!!', '--site-limit', '1'], /letter/],
      ['a count of 0', ['--plan', 'Pro', '--site-limit', '1', '--count', '0'], /from 1/],
      ['an unknown option', ['--plan', 'Pro', '--site-limit', '1', '--colour', 'red'], /--colour/],
    ] as const) {
      it(`refuses ${why} with one line`, async () => {
        expectFailure(await steward('license', 'create', ...args), message);
      });
    }
  });

  describe('license enrol', () => {
    it('prints codes that connect one site each', async () => {
      const { id } = await createLicense();
      const { stdout } = await steward('license', 'enrol', String(id), '--count', '2');
      expect(stdout).toMatch(/^(STWE(-[0-9A-Z]{7}){4}\n){2}Each code connects one site to license/);
      expect(await json('license', 'enrol', String(id))).toEqual([
        {
          id: expect.any(Number),
          code: expect.stringMatching(/^STWE-/),
          plugin_url: expect.stringContaining('/api/v1/plugin/STWE-'),
          expires_at: expect.any(String),
        },
      ]);
      expectFailure(await steward('license', 'enrol', '999999'), /does not exist/);
      expectFailure(await steward('license', 'enrol', String(id), '--count', '101'), /1 to 100/);
    });
  });

  describe('changing a license', () => {
    it('replaces the key, prints how many sites use the old key, and makes the old key expire', async () => {
      const { id, license_key: oldKey } = await createLicense();
      await activate(oldKey, 'https://old-key.example.com');
      const { stdout } = await steward('license', 'rotate', String(id), '--old-key-days', '7');
      const [key = '', ...more] = stdout.split('\n');
      expect(key).toMatch(/^STWD(-[0-9A-Z]{7}){4}$/);
      expect(key).not.toBe(oldKey);
      expect(more.join(' ')).toMatch(/accepted until .*Sites without the current key: 1\./);
      await json('license', 'end-old-key', String(id));
      expect(await json('license', 'show', String(id))).toMatchObject({
        key_last_six: key.slice(-6),
        rotation: { old_key_last_six: oldKey.slice(-6), has_ended: true, sites_left: 1 },
        activations: [{ key: 'old_license' }],
      });
    });

    it('suspends, resumes, extends, sets the limit and revokes', async () => {
      const { id } = await createLicense();
      const license = (...args: string[]) => json('license', ...args);
      expect(await license('suspend', String(id))).toMatchObject({
        id,
        status: 'suspended',
        valid: false,
      });
      expect(await license('resume', String(id))).toMatchObject({
        status: 'inactive',
        valid: true,
      });
      expect(await license('extend', String(id), '--expires', '2031-05-01')).toMatchObject({
        expires_at: '2031-05-01T23:59:59.000Z',
      });
      expect(await license('extend', String(id), '--expires', 'never')).toMatchObject({
        expires_at: null,
      });
      expect(await license('set-limit', String(id), '7')).toMatchObject({ site_limit: 7 });
      expect(await license('set-limit', String(id), 'unlimited')).toMatchObject({
        site_limit: null,
      });
      expect(await license('revoke', String(id))).toMatchObject({
        status: 'revoked',
        valid: false,
      });
    });

    it('rename changes the name and the customer, and refuses to change neither', async () => {
      const { id } = await createLicense('--name', 'Old', '--customer', 'Ex Ltd');
      expect(await json('license', 'rename', String(id), '--name', '')).toMatchObject({
        name: null,
        customer: 'Ex Ltd',
      });
      const refused = await steward('license', 'rename', String(id));
      expectFailure(refused, /Use --name, --customer or both/);
    });

    it('refuses to change a revoked license', async () => {
      const { id } = await createLicense();
      await json('license', 'revoke', String(id));
      for (const args of [
        ['resume'],
        ['suspend'],
        ['revoke'],
        ['extend', '--expires', 'never'],
        ['set-limit'],
      ]) {
        const [name = '', ...more] = args;
        const limit = name === 'set-limit' ? ['5'] : [];
        expectFailure(await steward('license', name, String(id), ...limit, ...more), /revoked/);
      }
    });

    for (const id of ['999999', '0', '-1', 'abc', '1.5', '99999999999999999999']) {
      it(`refuses ${id} as a license id`, async () => {
        expectFailure(
          await steward('license', 'show', id),
          /does not exist|id of a license|unknown option/,
        );
      });
    }
  });

  it('lists licenses, plans and services as tables and as JSON', async () => {
    const { id, key_last_six } = await createLicense();
    expect(await json('license', 'list')).toContainEqual(
      expect.objectContaining({ id, key_last_six }),
    );
    expect(await json('plan', 'list')).toContainEqual(
      expect.objectContaining({ slug: 'pro', site_limit: 3 }),
    );
    expect(await json('service', 'list')).toContainEqual(
      expect.objectContaining({ slug: 'remote' }),
    );
    expect((await steward('license', 'list')).stdout).toContain(`…${key_last_six}`);
    expect((await steward('plan', 'list')).stdout).toContain('pro');
    expect((await steward('service', 'list')).stdout).toContain('remote');
  });

  it('shows the sites of a license and disconnects one', async () => {
    const { id, license_key } = await createLicense();
    await activate(license_key, 'https://shown.example.com');
    const { activations } = await json('license', 'show', String(id));
    expect(activations).toEqual([
      expect.objectContaining({
        site_url: 'https://shown.example.com',
        status: 'active',
        ...VERSIONS,
      }),
    ]);
    expect((await steward('license', 'show', String(id))).stdout).toContain(
      'https://shown.example.com',
    );
    const siteId = String(activations[0].site_id);
    expect(await json('license', 'release', String(id), siteId)).toMatchObject({
      license: { sites_used: 0 },
      activation: { status: 'deactivated' },
    });
    expect((await steward('license', 'show', String(id))).stdout).toMatch(
      /shown\.example\.com +deactivated +no /,
    );
    expect((await steward('license', 'release', String(id), siteId)).stdout).toContain(
      'is disconnected',
    );
    expectFailure(await steward('license', 'release', String(id), '999999'), /no such site/);
  });

  it('finds the license of a key from standard input', async () => {
    const { id, license_key } = await createLicense();
    const found = await withInput(`${license_key}\n`, 'license', 'find', '--key-stdin', '--json');
    expect(JSON.parse(found.stdout)).toMatchObject({ id, key_last_six: license_key.slice(-6) });
    const typo = await withInput('STWD-NOT-A-KEY\n', 'license', 'find', '--key-stdin');
    expectFailure(typo, /Unknown license key/);
    expectFailure(await steward('license', 'find'), /--key-stdin/);
  });

  it('refuses a second plan with the same name', async () => {
    await json('plan', 'create', '--name', 'Twice', '--site-limit', '1');
    expectFailure(
      await steward('plan', 'create', '--name', 'twice', '--site-limit', '1'),
      /already/,
    );
  });

  it('migrates, and reports an up-to-date database', async () => {
    expect(await json('migrate')).toEqual({
      migrated: [],
      audit_partitions: { created: [], problem: null },
    });
    expect((await steward('migrate')).stdout).toBe('The database is up to date.\n');
    expect(await json('migrate', '--plan')).toEqual({ pending: [], newer_database: false });
  });
});
