import type { CreateAccessTokenRequest } from '@steward/contract';
import { newToken } from '@steward/testkit/panel/access-token.ts';
import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture();

/** Runs commands against the panel over HTTP, with a new token of the owner. */
async function withToken(request: Partial<CreateAccessTokenRequest>) {
  const token = await newToken(fixture.panel, fixture.owner, request);
  const env = { STEWARD_URL: fixture.panelUrl, STEWARD_TOKEN: token.secret };
  const steward = (...args: string[]) => runSteward(args, env);
  return {
    ...{ id: token.id, env, steward },
    async json(...args: string[]) {
      const { code, stdout, stderr } = await steward(...args, '--json');
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    },
  };
}

describe('npx steward with STEWARD_URL and an access token', () => {
  it('updates sites, and the audit log names the token', async () => {
    const site = await fixture.newSite();
    const { id, json, steward } = await withToken({ actions: ['read', 'update', 'plugins'] });
    expect(await json('site', 'show', site.siteUrl)).toMatchObject({ id: site.id });
    const { run } = await json('site', 'update', site.siteUrl, '--yes', '--wait');
    expect(run).toMatchObject({ status: 'finished', counts: { succeeded: 1 } });
    expect(site.state.plugins[SHOP]?.version).toBe('2.0');
    const { origin, created_by } = await fixture.panel.db
      .selectFrom('runs')
      .select(['origin', 'created_by'])
      .where('id', '=', run.run_id)
      .executeTakeFirstOrThrow();
    expect(origin).toMatchObject({ actor: String(fixture.owner.id), token: { id } });
    expect(created_by).toBe(fixture.owner.id);

    const deactivated = await steward(
      ...['plugin', 'deactivate', 'shop', '--site', String(site.id), '--yes', '--wait'],
    );
    expect([deactivated.code, site.state.plugins[SHOP]?.active]).toEqual([0, false]);
    expect((await json('run', 'list', '--limit', '1'))[0]).toMatchObject({ kind: 'plugin_action' });
  });

  it('restores and installs', async () => {
    const site = await fixture.newSite();
    const { json, steward } = await withToken({
      actions: ['read', 'update', 'plugins', 'install'],
    });
    const one = ['--site', String(site.id)];
    await json('plugin', 'update', 'shop', ...one, '--yes', '--wait');
    const preview = await steward('plugin', 'restore', 'shop', ...one, '--dry-run');
    expect(preview.stdout).toMatch(/^Restore shop\/shop\.php 2\.0 to 1\.0 on 1 site\.\n {2}127/);
    const restored = await json('plugin', 'restore', 'shop', ...one, '--yes', '--wait');
    expect(restored.run).toMatchObject({ kind: 'restore', counts: { succeeded: 1 } });
    site.state.directory = { 'akismet/akismet.php': '5.3.1' };
    const installed = await json('plugin', 'install', 'akismet@5.3.1', ...one, '--yes', '--wait');
    expect(installed.run).toMatchObject({ kind: 'install', counts: { succeeded: 1 } });
    expect(site.state.plugins['akismet/akismet.php']?.version).toBe('5.3.1');
  });

  it('sees and changes only the sites and actions of the token', async () => {
    const [own, other] = [await fixture.newSite(), await fixture.newSite()];
    const access = { site_ids: [own.id] };
    const limited = await withToken({ role: 'manager', actions: ['read', 'sync'], access });
    expect(await limited.json('site', 'list')).toMatchObject([{ id: own.id }]);
    expectFailure(await limited.steward('site', 'show', other.siteUrl), /There is no site/);
    expectFailure(await limited.steward('site', 'sync', String(other.id)), /no such site/);
    const { run } = await limited.json('site', 'sync', '--all', '--wait');
    expect(run).toMatchObject({ total: 1, counts: { succeeded: 1 } });
    const update = await limited.steward('site', 'update', '--all', '--yes');
    expect([update.code, update.stderr]).toEqual([1, expect.stringMatching(/the action “update”/)]);
    expect(own.state.plugins[SHOP]?.version).toBe('1.0');
  });

  it('stops after the token was revoked', async () => {
    const { id, steward } = await withToken({ actions: ['read'] });
    expect((await steward('site', 'list')).code).toBe(0);
    await fixture.owner.call('DELETE', `/panel/account/tokens/${id}`);
    expectFailure(await steward('site', 'list'), /access token is not valid/);
  });
});
