import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { UNCHANGED_STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { startRun, syncSite } from './support/panel-calls.ts';
import { plugin, theme } from './support/update-items.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const wordpress = useLicensedSite({ hasWorker: true });
let owner: PanelClient;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
});

/** Adds items with pending updates, lets the site report them, and then deletes folders as with FTP. */
async function deleteAfterReport(folders: string[]): Promise<void> {
  for (const name of ['shop', 'forms']) {
    await wordpress.plugin(name);
    await wordpress.offerPlugin(name);
  }
  await wordpress.theme('paper');
  await wordpress.offerTheme('paper');
  await wordpress.site.setOption('stylesheet', 'plain');
  await wordpress.site.setOption('template', 'plain');
  await syncSite(owner, wordpress.site.siteId);
  const content = join(wordpress.site.root, 'wp-content');
  for (const folder of folders) await rm(join(content, folder), { recursive: true });
  await wordpress.site.clearOpcache(UNCHANGED_STEWARD);
}

async function update(items?: object[]) {
  const request = { site_ids: [wordpress.site.siteId], ...(items && { items }) };
  return (await startRun(owner, '/remote/update', request)).results[0];
}

describe('an item that was deleted on the site after its last report', () => {
  it('is named in the result of all pending updates, also if nothing else was pending', async () => {
    await deleteAfterReport(['plugins/shop', 'plugins/forms', 'themes/paper']);
    expect(await update()).toMatchObject({
      details: { results: { plugins: [], themes: [] } },
      notes: [
        'Not updated, because not installed on the site any more: forms, shop, paper. The files were deleted there after the last report.',
      ],
    });
    // The site has reported again, so nothing is pending any more.
    expect(await update()).toMatchObject({ status: 'succeeded', notes: [] });
  });

  it('does not hide the items that were updated', async () => {
    await deleteAfterReport(['plugins/shop']);
    expect(await update()).toMatchObject({
      plugins: { updated: 1, failed: 0 },
      themes: { updated: 1, failed: 0 },
      notes: expect.arrayContaining([expect.stringMatching(/any more: shop\. /)]),
    });
    expect((await wordpress.readInstalled()).plugins).toEqual(
      expect.objectContaining({ 'forms/forms.php': '2.0' }),
    );
  });

  it('fails with the reason in an update of selected items', async () => {
    await deleteAfterReport(['plugins/shop', 'themes/paper']);
    const items = [plugin('shop/shop.php', '2.0'), theme('paper', '2.0')];
    const failed = (type: string) => ({
      success: false,
      code: 'item_not_found',
      error: expect.stringMatching(
        `^This ${type} is not installed on the site any more: .* No changes were made\\. Sync the site`,
      ),
    });
    expect(await update(items)).toMatchObject({
      status: 'failed',
      details: { results: { plugins: [failed('plugin')], themes: [failed('theme')] } },
    });
  });

  it('fails with the reason in an update of one plugin', async () => {
    await deleteAfterReport(['plugins/shop']);
    const request = { action: 'update', plugin: 'shop/shop.php' };
    const { body } = await owner.post('/remote/plugin-action', {
      ...request,
      site_id: wordpress.site.siteId,
    });
    expect(body).toMatchObject({
      success: false,
      code: 'plugin_not_found',
      error: 'This plugin is not installed on the site. It may have been deleted there.',
    });
  });
});
