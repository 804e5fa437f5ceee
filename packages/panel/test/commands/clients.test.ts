import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward client and site set', () => {
  const { steward, json, createLicense, activate } = useCommandLine();

  it('creates, renames, changes, archives and restores a client, by its name or id', async () => {
    const { id } = await json('client', 'create', 'Acme', '--zone', 'Europe/Berlin');
    const contact = ['--contact', 'Anna', '--email', 'anna@acme.example'];
    await json('client', 'set', 'ACME', ...contact);
    expect((await steward('client', 'rename', String(id), 'Acme AG')).stdout).toBe(
      `Renamed client ${id}, Acme AG.\n`,
    );
    const { stdout } = await steward('client', 'list');
    expect(stdout).toMatch(/Acme AG +0 +Anna +anna@acme\.example +Europe\/Berlin/);
    expectFailure(await steward('client', 'create', 'acme ag'), /already exists/);
    expectFailure(await steward('client', 'set', 'Acme AG'), /at least one of --contact/);
    expectFailure(await steward('client', 'rename', 'Nobody', 'X'), /There is no client Nobody/);
    await steward('client', 'archive', 'Acme AG');
    expect(await json('client', 'list')).toEqual([]);
    expect(await json('client', 'list', '--archived')).toMatchObject([{ id, name: 'Acme AG' }]);
    await steward('client', 'restore', 'Acme AG');
    expect(await json('client', 'list')).toMatchObject([{ id, contact_name: 'Anna' }]);
  });

  it('sets the client, display name and note of sites, and selects sites by client', async () => {
    const { license_key } = await createLicense();
    const [shop, blog] = ['https://shop.example.com', 'https://blog.example.com'];
    await activate(license_key, shop);
    await activate(license_key, blog);
    const { id } = await json('client', 'create', 'Bolt');
    await steward('site', 'set', shop, blog, '--client', 'bolt');
    const named = await steward(
      'site',
      'set',
      shop,
      '--name',
      'Bolt Shop',
      '--note',
      'Call first.',
    );
    expect(named.stdout).toBe('Bolt Shop (shop.example.com): client Bolt, with a note\n');
    expect((await steward('site', 'show', shop)).stdout).toContain('Display name: Bolt Shop\n');
    await steward('site', 'set', blog, '--client', '');
    const listed = await steward('site', 'list', '--client', 'Bolt');
    expect(listed.stdout).toContain('Bolt Shop (shop.example.com)');
    expect(listed.stdout).not.toContain('blog.example.com');
    expect(await json('site', 'list', '--client', 'none')).toMatchObject([{ url: blog }]);
    expect(await json('site', 'list', '--search', 'bolt shop')).toMatchObject([
      { url: shop, client: { id, name: 'Bolt' } },
    ]);
    const sorted = await json('site', 'list', '--sort', 'name', '--desc');
    expect(sorted.map(({ name }: { name: string }) => name)).toEqual([
      'Bolt Shop (shop.example.com)',
      'blog.example.com',
    ]);
    expect(await json('site', 'list', '--certificate', 'expired')).toEqual([]);
    expectFailure(await steward('site', 'set', shop), /at least one of --name/);
    expectFailure(await steward('site', 'set', shop, blog, '--name', 'Both'), /exactly one site/);
    expectFailure(await steward('site', 'list', '--client', 'Nobody'), /There is no client Nobody/);

    const user = 'bolt@example.com';
    await steward('user', 'create', '--email', user, '--role', 'manager');
    const grant = await steward('access', 'grant', '--user', user, '--client', 'bolt');
    expect(grant.stdout).toMatch(/client +\d+ +all sites of Bolt, now 1/);
    const schedule = ['--from', '02:00', '--to', '05:00', '--days', 'daily'];
    const added = await json(
      ...['schedule', 'add', '--name', 'Night', '--user', user, '--client', 'Bolt', ...schedule],
    );
    expect(added).toMatchObject({ selection: { client_id: String(id) } });
    await steward('access', 'revoke', '--user', user, '--client', 'Bolt');
    expect((await steward('access', 'list', '--user', user)).stdout).toContain('No access grants');
  });
});
