import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { OPERATOR, TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const fixture = useRunFixture();
const env: NodeJS.ProcessEnv = {};
beforeAll(() => {
  // Commands read the time of the system.
  fixture.panel.fakes.now = new Date();
  Object.assign(env, {
    DATABASE_URL: fixture.panel.databaseUrl,
    DATA_DIR: fixture.panel.dataDir,
    SECRET_KEY: TEST_SECRET,
  });
});

const steward = (...args: string[]) => runSteward(args, env);
const atTerminal = (input: string, ...args: string[]) =>
  runSteward(args, env, input, { isTTY: true });
async function json(...args: string[]) {
  const { code, stdout, stderr } = await steward(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** Terminal commands that a hostile site sends as a name: set the title, clear the screen, reverse the text. */
const HOSTILE = '\u001b]0;owned\u0007\u009b2J\u202eShop';
const UNSAFE = /[\p{Cc}\p{Cf}]/u;

describe('npx steward site and plugin, on the machine of the panel', () => {
  it('lists and shows what the screens show', async () => {
    const site = await fixture.newSite();
    const sites = await json('site', 'list', '--search', site.siteUrl);
    expect(sites).toMatchObject([{ id: site.id, url: site.siteUrl, pending: { plugins: 1 } }]);
    const { stdout } = await steward('site', 'show', site.siteUrl);
    expect(stdout).toContain(`Site ${site.id}: ${site.siteUrl}`);
    expect(stdout).toMatch(/shop\/shop\.php +1\.0 +2\.0 +yes/);
    expect(stdout).toMatch(/CMS [\d.]+, Node \d+\.[\d.]+, Steward plugin/);
    const outdated = await json('plugin', 'list', '--outdated');
    expect(outdated).toMatchObject([{ slug: SHOP, outdated_sites: expect.any(Number) }]);
    expect((await steward('plugin', 'show', 'shop')).stdout).toMatch(/1\.0 +\d+ +\d+ +\d+ +2\.0/);
    expect((await steward('theme', 'list')).stdout).toBe('No themes found.\n');
    expectFailure(await steward('plugin', 'show', 'none'), /No site has the plugin none/);
  });

  it('keeps terminal commands of a hostile site from the terminal', async () => {
    const state = outdatedSite();
    state.plugins['evil/evil.php'] = { version: '1.0', name: HOSTILE, newVersion: '2.0' };
    const site = await fixture.newSite(state);
    const shown = await steward('site', 'show', String(site.id));
    const listed = await steward('plugin', 'list', '--search', 'evil');
    const preview = await steward('site', 'update', String(site.id), '--dry-run');
    const asJson = await steward('site', 'show', String(site.id), '--json');
    for (const { code, stdout } of [shown, listed, preview, asJson]) {
      expect(code).toBe(0);
      expect(stdout).toContain('Shop');
      expect(stdout.replaceAll('\n', '')).not.toMatch(UNSAFE);
    }
  });

  it('updates after a preview, with --yes, and waits for the result', async () => {
    const site = await fixture.newSite();
    const refused = await steward('site', 'update', site.siteUrl);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/Add --yes/)]);
    const dryRun = await steward('plugin', 'update', 'shop', '--site', site.siteUrl, '--dry-run');
    expect(dryRun.stdout).toMatch(
      /shop\/shop\.php\) +plugin +1\.0 +2\.0 +1\n1 site will be updated/,
    );
    expect(site.calls).toEqual([]);

    const done = await steward('site', 'update', site.siteUrl, '--yes', '--wait');
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toContain('1 of 1 site finished: 1 succeeded.');
    expect(site.state.plugins[SHOP]?.version).toBe('2.0');
    const run = await fixture.panel.db
      .selectFrom('runs')
      .select(['created_by', 'origin'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(run).toMatchObject({
      created_by: null,
      origin: { actor: 'system', via: 'command_line' },
    });
    const [record] = await fixture.readAudit(site.id, 'remote_update');
    expect(record?.actor).toBe('system');
    const again = await steward('site', 'update', site.siteUrl, '--yes');
    expect([again.code, again.stdout]).toEqual([0, 'There is nothing to update.\n']);
  });

  it('updates only the chosen items', async () => {
    const state = outdatedSite();
    state.core.newVersion = '7.0';
    const site = await fixture.newSite(state);
    const update = (...args: string[]) => json('site', 'update', String(site.id), ...args);
    const dryRun = await update('--item', 'plugin:shop@2.0', '--dry-run');
    expect(dryRun).toMatchObject({ preview: { items: [{ slug: SHOP }] }, run: null });
    expectFailure(await steward('site', 'update', '--all', '--item', 'shop'), /plugin:shop/);
    expectFailure(await steward('site', 'update', '--core'), /Give the addresses or ids of sites/);
    const { run } = await update('--plugins-and-themes', '--yes', '--wait');
    expect(run).toMatchObject({ status: 'finished', results: [{ plugins: { updated: 1 } }] });
    expect([state.core.version, state.plugins[SHOP]?.version]).toEqual(['6.0', '2.0']);
  });

  it('adds a schedule for a plugin that is named by its folder', async () => {
    await fixture.newSite();
    const [{ email }] = await json('user', 'list');
    const window = ['--from', '02:00', '--to', '05:00', '--days', 'tue'];
    const options = ['--name', 'Shop', '--user', email, ...window];
    const added = await json('schedule', 'add', ...options, '--items', 'plugin:shop');
    expect(added.items).toMatchObject([{ type: 'plugin', slug: SHOP }]);
  });

  it('fails for an item that no site offers, and for a tag that no site has', async () => {
    const site = await fixture.newSite();
    const update = (...args: string[]) => steward('site', 'update', ...args, '--yes');
    for (const item of [`plugin:${SHOP}@3.0`, 'plugin:shpo', 'core']) {
      const failed = await update(String(site.id), '--item', 'plugin:shop', '--item', item);
      expectFailure(failed, new RegExp(`No chosen site offers the update ${item}\\. Check`));
    }
    expect(site.calls).toEqual([]);
    expectFailure(await update('--tag', 'typo'), /No site has the tag typo\./);
    const plugin = await steward('plugin', 'update', 'shop', '--tag', 'typo', '--yes');
    expectFailure(plugin, /No site has the tag typo\./);

    const current = await fixture.newSite({ plugins: {}, themes: {}, core: { version: '6.0' } });
    const { tags } = fixture.panel.services;
    await tags.replaceTags({ id: 0, role: 'owner' }, current.id, ['current'], OPERATOR);
    const nothing = await update('--tag', 'current');
    expect([nothing.code, nothing.stdout]).toEqual([0, 'There is nothing to update.\n']);
  });

  it('asks on a terminal, and shows a progress bar', async () => {
    const site = await fixture.newSite();
    const command = ['plugin', 'deactivate', 'shop', '--site', site.siteUrl];
    const declined = await atTerminal('n\n', ...command);
    expect([declined.code, site.calls]).toEqual([1, []]);
    expect(declined.stdout).toMatch(/on 1 site\? \[y\/N\] Nothing was started\.\n$/);
    expect((await atTerminal('', ...command)).code).toBe(1);
    const done = await atTerminal('y\n', ...command, '--wait');
    expect(done.code).toBe(0);
    const frames = done.stderr.split('\r\u001b[2K');
    expect(frames.at(-2)).toMatch(/^\[#+\] 1\/1 1 succeeded$/);
    expect(frames.at(-1)).toBe('');
    expect(site.state.plugins[SHOP]?.active).toBe(false);
  });

  it('skips sites without the plugin, and refuses to guess', async () => {
    const [shop, other] = [
      await fixture.newSite(),
      await fixture.newSite({ plugins: {}, themes: {}, core: { version: '6.0' } }),
    ];
    const sites = ['--site', String(shop.id), '--site', String(other.id)];
    const { preview } = await json('plugin', 'delete', SHOP, ...sites, '--dry-run');
    expect(preview).toMatchObject({ site_ids: [shop.id], not_installed: 1 });
    expectFailure(await steward('plugin', 'delete', SHOP, '--yes'), /--tag, --client or --all/);
    expectFailure(
      await steward('plugin', 'delete', SHOP, '--yes', '--all', ...sites),
      /or use --tag, --client or --all/,
    );
  });
});

describe('npx steward run', () => {
  it('exits with 1 if sites failed, and retries them', async () => {
    const site = await fixture.newSite();
    site.faults.response = 'http_500';
    const failed = await steward('site', 'sync', site.siteUrl, '--wait');
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/SITE +STATUS +DETAILS\n127\.0\.0\.1:\d+\/site-\d+ +failed +\S/);
    const [latest] = await json('run', 'list', '--limit', '1');
    expect(latest).toMatchObject({ kind: 'sync', counts: { failed: 1 } });
    const id = String(latest.run_id);
    expect((await steward('run', 'show', id, '--status', 'failed')).stdout).toContain('failed');
    delete site.faults.response;
    const retry = await json('run', 'retry', id, '--wait');
    expect(retry.run).toMatchObject({ retry_of: latest.run_id, counts: { succeeded: 1 } });
    expectFailure(await steward('run', 'watch', '999999'), /no such run/i);
    expectFailure(await steward('run', 'retry', 'all'), /id of a run/);
    for (const limit of ['0', '-1', '1.5', 'many', '201']) {
      expectFailure(await steward('run', 'list', '--limit', limit), /from 1 to 200/);
    }
  });

  it('exits with 2 if a site is not verified', async () => {
    const site = await fixture.newSite();
    site.health.home = () =>
      site.calls.includes('update') ? new Response('Down', { status: 500 }) : null;
    const watched = await steward('site', 'update', site.siteUrl, '--yes', '--wait');
    expect([watched.code, watched.stdout]).toEqual([2, expect.stringContaining('1 unverified')]);
  });

  it('cancels the sites that wait', async () => {
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const gate = Promise.withResolvers<void>();
    for (const site of sites) site.gate.opens = gate.promise;
    const { run } = await json('site', 'sync', ...sites.map(({ siteUrl }) => siteUrl));
    const cancelled = await json('run', 'cancel', String(run.run_id));
    expect(cancelled.cancelled_at).not.toBeNull();
    gate.resolve();
    const watched = await steward('run', 'watch', String(run.run_id));
    expect(watched.stdout).toContain('2 of 2 sites finished');
  });
});
