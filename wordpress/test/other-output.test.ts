import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { UNCHANGED_STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startRun } from './support/panel-calls.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const BYTE_ORDER_MARK = '\uFEFF';

// Such hosts send all output at once, so that nothing can remove it, and set the status before WordPress does.
const wordpress = useLicensedSite({
  hasWorker: true,
  php: { output_buffering: '0', display_errors: '1', html_errors: '1' },
});
let owner: PanelClient;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
});

const callByPanel = async (path: string) =>
  (await startRun(owner, path, { site_ids: [wordpress.site.siteId] })).results[0];
const sync = () => callByPanel('/panel/sites/sync');
const update = () => callByPanel('/remote/update');

/** Changes a file of the site until the test ends. */
async function changeFile(path: string, change: (content: string) => string): Promise<void> {
  const file = join(wordpress.site.root, path);
  const content = await readFile(file, 'utf8');
  const write = async (text: string) => {
    await writeFile(file, text);
    await wordpress.site.clearOpcache(UNCHANGED_STEWARD);
  };
  onTestFinished(() => write(content));
  await write(change(content));
}

const addMark = (content: string) => BYTE_ORDER_MARK + content;
const addWarning = (content: string) =>
  content.replace('<?php', "<?php trigger_error( 'Old setting', E_USER_WARNING );");

/** Sends a call without a key and returns the body. */
const callWithoutKey = async () => {
  const url = `${wordpress.site.url}/wp-json/service/v1/remote/sync`;
  const response = await fetch(url, { method: 'POST' });
  // Unlike `text()`, keeps the mark.
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()).toString() };
};

describe.each([
  ['a byte order mark in wp-config.php', addMark, /^\uFEFF\{"success":false/],
  ['two of them', (content: string) => addMark(addMark(content)), /^\uFEFF{2}\{"success":false/],
  ['a PHP warning in wp-config.php', addWarning, /^<br \/>\s*<b>Warning<\/b>.*wp-config\.php/s],
])('a site with %s', (_what, change, start) => {
  it('is understood by the panel, in a success and in a refusal', async () => {
    await changeFile('wp-config.php', change);
    const { status, body } = await callWithoutKey();
    expect([status, body]).toEqual([200, expect.stringMatching(start)]);
    expect(await sync()).toMatchObject({ status: 'succeeded' });
    await wordpress.site.setOption('steward_remote_off', '1');
    onTestFinished(() => wordpress.site.setOption('steward_remote_off', ''));
    expect(await sync()).toMatchObject({ status: 'failed', code: 'remote_disabled' });
  });

  it('is updated', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await changeFile('wp-config.php', change);
    expect(await update()).toMatchObject({
      code: null,
      status: expect.stringMatching(/succeeded|unverified/),
    });
    expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
  });
});

describe('output that starts after the must-use plugins', () => {
  it('never reaches the panel: a byte order mark in functions.php, and PHP warnings', async () => {
    await wordpress.theme('marked');
    const functions = join(wordpress.site.root, 'wp-content/themes/marked/functions.php');
    await writeFile(functions, addMark('<?php'));
    await wordpress.plugin('noisy', {
      body: `trigger_error( 'Noise', E_USER_WARNING ); add_action( 'shutdown', function () { echo 'late'; }, 99 );`,
    });
    const { status, body } = await callWithoutKey();
    expect([status, body]).toEqual([401, expect.stringMatching(/^\{"success":false.*\}$/)]);
    expect(await sync()).toMatchObject({ status: 'succeeded' });
  });
});
