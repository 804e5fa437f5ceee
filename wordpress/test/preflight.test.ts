import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import type { Preflight } from '@steward/contract';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

// PHP runs as an unprivileged user, as on a real server: root can write to every folder.
const wordpress = useUpdatedSite({ user: 'www-data', hasWorker: true });
const WAIT = { headers: { prefer: 'wait=300' } };

let owner: Awaited<ReturnType<typeof signInAt>>;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
});

/** Lets the site report as at a check-in, which also works while the panel may not call it. */
const report = () =>
  wordpress.site.runPhp('Steward\\Panel\\License::report_inventory();').then((printed) => {
    expect(printed).toBe('');
  });

async function predict(): Promise<Preflight> {
  const body = { site_ids: [wordpress.site.siteId] };
  return (await owner.post('/panel/sites/preflight', body)).body.preflight;
}

const summarize = ({ groups }: Preflight) =>
  groups.map(({ reason, is_certain, sites }) => [
    reason,
    is_certain,
    sites.flatMap(({ items }) => items.map(({ slug }) => slug)),
  ]);

/** Runs the update that was predicted, through the panel. */
async function update() {
  const body = { site_ids: [wordpress.site.siteId] };
  const [task] = (await owner.post('/remote/update', body, WAIT)).body.results;
  return {
    status: task.status as string,
    code: task.code as string | null,
    error: task.error as string | null,
    plugins: (task.details?.results?.plugins ?? []) as Record<string, unknown>[],
  };
}

async function makeUnwritable(...path: string[]) {
  onTestFinished(() => wordpress.site.chownFiles());
  await chown(join(wordpress.site.root, ...path), 0, 0);
}

describe('a site that is ready', () => {
  it('reports its time zone and free space, and the update succeeds as predicted', async () => {
    await wordpress.site.setOption('timezone_string', 'Europe/Berlin');
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await wordpress.call('sync')).status).toBe(200);
    const { preflight, time_zone } = await wordpress.panel.siteRow(wordpress.site.siteId);
    expect(time_zone).toBe('Europe/Berlin');
    expect(preflight).toEqual({
      remote_enabled: true,
      file_changes: 'ok',
      free_bytes: expect.any(Number),
      locked: false,
      items: [{ type: 'plugin', slug: file, version: '2.0', requires: '6.0', requires_php: '7.4' }],
    });
    const { groups, certain_site_ids, checked } = await predict();
    expect([groups, certain_site_ids, checked]).toEqual([[], [], 1]);
    expect((await update()).status).toBe('succeeded');
    await wordpress.site.setOption('timezone_string', '');
    await wordpress.site.setOption('gmt_offset', '5.75');
    await report();
    expect((await wordpress.panel.siteRow(wordpress.site.siteId)).time_zone).toBe('+05:45');
  });
});

describe('a site with backup plugins', () => {
  it('reports the completed backups of each, and nothing of plugins that store none', async () => {
    const { site } = wordpress;
    const written = await site.runPhp(BACKUPS_PHP);
    const { host, at } = JSON.parse(written) as { host: string; at: number };
    const hour = new Date(at * 1000).toISOString();
    expect(host).toContain('127.0.0.1');
    await report();
    const { backups, backed_up_at } = await wordpress.panel.siteRow(site.siteId);
    const entry = (plugin: string, contains = 'all') => ({ plugin, backed_up_at: hour, contains });
    expect(backups).toEqual([
      entry('updraftplus'),
      entry('backwpup', 'database'),
      entry('duplicator'),
      entry('wpvivid', 'files'),
      { ...entry('jetpack'), backed_up_at: null },
      { ...entry('all-in-one-wp-migration'), backed_up_at: expect.any(String) },
    ]);
    expect(backed_up_at?.toISOString()).toBe(
      backups?.find(({ plugin }) => plugin === 'all-in-one-wp-migration')?.backed_up_at,
    );
    await site.runPhp('update_option("active_plugins", ["steward/steward.php"]);');
    await report();
    expect(await wordpress.panel.siteRow(site.siteId)).toMatchObject({
      backups: [],
      backed_up_at: null,
    });
  });
});

/** What the plugins store after a backup one hour ago. Their code is not installed. */
const BACKUPS_PHP = `
  global $wpdb;
  $at = time() - 3600;
  update_option('active_plugins', array_merge(get_option('active_plugins'), [
    'updraftplus/updraftplus.php', 'backwpup/backwpup.php', 'duplicator/duplicator.php',
    'wpvivid-backuprestore/wpvivid-backuprestore.php', 'jetpack-backup/jetpack-backup.php',
    'all-in-one-wp-migration/all-in-one-wp-migration.php',
  ]));
  update_option('updraft_last_backup', ['backup_time' => $at, 'success' => 1, 'errors' => [],
    'backup_array' => ['db' => 'db.gz', 'plugins' => ['p.zip'], 'themes' => ['t.zip']]]);
  update_option('wpvivid_backup_list', ['wpvivid-1' => ['type' => 'Cron', 'create_time' => $at, 'backup' => ['result' => 'success',
    'files' => [['file_name' => 's_backup_plugin.zip'], ['file_name' => 's_backup_themes.zip']]]]]);
  update_site_option('backwpup_cfg_logfolder', 'uploads/backwpup-logs/');
  wp_mkdir_p(WP_CONTENT_DIR . '/uploads/backwpup-logs');
  $log = '<meta name="date" content="' . gmdate('c', $at) . '" />' . "\n" . '<meta name="backwpup_errors" content="0" />' . "\n"
    . '<meta name="backwpup_jobtype" content="DBDUMP" />' . "\n" . '<meta name="backwpup_jobruntime" content="9" />';
  file_put_contents('compress.zlib://' . WP_CONTENT_DIR . '/uploads/backwpup-logs/backwpup_log_abc123_2026-06-12_11-00-00.html.gz', $log);
  $wpdb->query("CREATE TABLE {$wpdb->base_prefix}duplicator_packages (id bigint AUTO_INCREMENT PRIMARY KEY, status int, created datetime, package longtext)");
  $wpdb->insert($wpdb->base_prefix . 'duplicator_packages', ['status' => 100, 'created' => gmdate('Y-m-d H:i:s', $at), 'package' => 'O:1:"A":1:{s:12:"ExportOnlyDB";i:0;}']);
  $wpdb->insert($wpdb->base_prefix . 'duplicator_packages', ['status' => 20, 'created' => gmdate('Y-m-d H:i:s'), 'package' => '']);
  $name = strtolower(str_replace('/', '-', preg_replace('~^https?://|:\\d+~', '', get_site_url())));
  wp_mkdir_p(WP_CONTENT_DIR . '/ai1wm-backups');
  $json = '{"SiteURL":"x","Plugin":{"Version":"7.95"}}';
  $archive = WP_CONTENT_DIR . '/ai1wm-backups/' . $name . '-' . gmdate('Ymd-His', $at) . '-abc123.wpress';
  file_put_contents($archive, pack('a255a14a12a4096', 'package.json', (string) strlen($json), (string) $at, '') . $json . 'x');
  echo json_encode(['host' => $name, 'at' => $at]);
`;

describe('a site that forbids changes', () => {
  it('by DISALLOW_FILE_MODS refuses the update with the predicted reason', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.site.setConstants({ DISALLOW_FILE_MODS: true });
    onTestFinished(() => wordpress.site.setConstants({}));
    await wordpress.call('sync');
    const predicted = await predict();
    expect(summarize(predicted)).toEqual([['file_changes_disabled', true, []]]);
    expect(predicted.certain_site_ids).toEqual([wordpress.site.siteId]);
    const { status, code, error } = await update();
    expect([status, code]).toEqual(['failed', 'file_changes_disabled']);
    expect(error).toContain('This site does not allow file changes');
    expect(predicted.groups[0]?.message).toBe('This site does not allow file changes.');
  });

  it('with Remote off refuses the update with the predicted reason', async () => {
    await wordpress.site.setOption('steward_remote_off', '1');
    onTestFinished(() => wordpress.site.setOption('steward_remote_off', ''));
    await report();
    expect(summarize(await predict())).toEqual([['remote_disabled', true, []]]);
    const { status, code } = await update();
    expect([status, code]).toEqual(['failed', 'remote_disabled']);
    // A successful call clears the fault, for the next test.
    await wordpress.site.setOption('steward_remote_off', '');
    await owner.post('/panel/sites/sync', { site_ids: [wordpress.site.siteId] }, WAIT);
    expect((await predict()).groups).toEqual([]);
  });

  it('during another update reports that it is busy', async () => {
    await wordpress.site.setOption('auto_updater.lock', String(Math.floor(Date.now() / 1000)));
    await report();
    expect(summarize(await predict())).toEqual([['site_busy', false, []]]);
    await wordpress.site.setOption('auto_updater.lock', '1');
    await report();
    expect(await predict()).toMatchObject({ groups: [] });
    await wordpress.site.deleteOption('auto_updater.lock');
  });
});

describe('a folder that PHP cannot write to', () => {
  it('makes the items in it fail, as predicted', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.offerTheme('plain');
    await makeUnwritable('wp-content/plugins');
    await wordpress.call('sync');
    const predicted = await predict();
    expect(summarize(predicted)).toEqual([['folder_not_writable', true, [file]]]);
    expect(predicted.certain_site_ids).toEqual([]);
    expect(predicted.groups[0]?.sites[0]?.error).toBe(
      'shop: The site cannot write to the folder wp-content/plugins.',
    );
    const { status, plugins } = await update();
    expect([status, plugins.map(({ code }) => code)]).toEqual(['partial', ['folder_not_writable']]);
    expect(plugins[0]?.error).toMatch(
      /^The site cannot write to the folder wp-content\/plugins: it belongs to root/,
    );
    expect((await wordpress.readInstalled()).themes.plain).toBe('2.0');
  });

  it('makes every update fail if WordPress itself tests the folder, as predicted', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.offerTheme('plain');
    await wordpress.site.setConstants({ FS_METHOD: null });
    onTestFinished(() => wordpress.site.setConstants({}));
    await makeUnwritable('wp-content/plugins');
    await wordpress.call('sync');
    const predicted = await predict();
    expect(summarize(predicted)).toEqual([['folder_not_writable', true, [file, 'plain']]]);
    expect(predicted.certain_site_ids).toEqual([wordpress.site.siteId]);
    const { status, code, error } = await update();
    expect([status, code]).toEqual(['failed', 'file_changes_disabled']);
    expect(error).toMatch(/^The site cannot write to the folder wp-content\/plugins: it belongs/);
  });

  it('at the top makes only active plugins fail, as predicted', async () => {
    const file = await wordpress.plugin('shop');
    const idle = await wordpress.plugin('idle', { active: false });
    for (const name of ['shop', 'idle']) await wordpress.offerPlugin(name);
    await makeUnwritable('');
    await wordpress.call('sync');
    expect(summarize(await predict())).toEqual([['folder_not_writable', true, [file]]]);
    const { status } = await update();
    const { plugins } = await wordpress.readInstalled();
    expect([status, plugins[file], plugins[idle]]).toEqual(['partial', '1.0', '2.0']);
  });
});

describe('an offer with requirements', () => {
  it.each([
    ['php_too_old', { requires_php: '9.0' }, /^The new version requires PHP 9\.0; this site runs/],
    ['cms_too_old', { requires: '99.0' }, /^The new version requires core version 99\.0; this/],
    [
      'plugin_missing',
      { requires_plugins: ['base'] },
      /requires plugins that are not active: base/,
    ],
  ])(
    'that the site does not meet fails with %s and the predicted sentence',
    async (reason, requirements, sentence) => {
      const file = await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', { requirements });
      await wordpress.call('sync');
      const predicted = await predict();
      expect(summarize(predicted)).toEqual([[reason, true, [file]]]);
      expect(predicted.certain_site_ids).toEqual([wordpress.site.siteId]);
      const { status, plugins } = await update();
      expect([status, plugins[0]?.code]).toEqual(['failed', reason]);
      expect(plugins[0]?.error).toMatch(sentence);
      expect(predicted.groups[0]?.sites[0]?.error).toBe(`shop: ${plugins[0]?.error}`);
      expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
    },
  );

  it('is installed when the required plugin is active, or the updated plugin is inactive', async () => {
    await wordpress.plugin('base');
    const file = await wordpress.plugin('shop');
    const idle = await wordpress.plugin('idle', { active: false });
    await wordpress.offerPlugin('shop', { requirements: { requires_plugins: ['base'] } });
    await wordpress.offerPlugin('idle', { requirements: { requires_plugins: ['gone'] } });
    await wordpress.call('sync');
    expect((await predict()).groups).toEqual([]);
    expect((await update()).status).toBe('succeeded');
    const { plugins } = await wordpress.readInstalled();
    expect([plugins[file], plugins[idle]]).toEqual(['2.0', '2.0']);
  });
});
