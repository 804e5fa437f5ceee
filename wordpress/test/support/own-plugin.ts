import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BulkUpdateResponse, pluginSigningText, SERVICE_KEY_HEADER } from '@steward/contract';
import { createSigner, generateKeyPair } from '@steward/panel/ed25519';
import { buildSignatureHeaders } from '@steward/panel/site-client';
import { createPluginZip, PLUGIN_FOLDER } from '@steward/panel/wordpress-plugin';
import { registerSecret } from '@steward/testkit/logs.ts';
import type { Bed } from '@steward/testkit/wordpress/bed.ts';
import { activateSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import type { SiteOptions, WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { ADMIN } from '@steward/testkit/wordpress/template.ts';
import { expect } from 'vitest';

export const OLD_VERSION = '0.0.9';

type Sign = (text: string) => Promise<string[]>;

const copies: string[] = [];

/** Call this after the tests of a file. */
export async function removeCopies(): Promise<void> {
  await Promise.all(copies.map((folder) => rm(folder, { recursive: true, force: true })));
}

/** Copies the plugin with another version, and with other files if given. Returns the folder. */
export async function copyPlugin(version: string, files: Record<string, string> = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'steward-copy-'));
  copies.push(parent);
  const folder = join(parent, 'steward');
  await cp(PLUGIN_FOLDER, folder, { recursive: true });
  const main = join(folder, 'steward.php');
  const source = await readFile(main, 'utf8');
  await writeFile(
    main,
    source
      .replace(/( \* Version:\s+)\S+/, `$1${version}`)
      .replace(/(const VERSION\s+= ')[^']+/, `$1${version}`),
  );
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/**
 * Creates a WordPress with the old version of the plugin, connected as its settings page does. `plugin`: folder or zip of
 * another version.
 */
export async function createOldSite(
  bed: Bed,
  panel: { url: string; licenseKey: string },
  { plugin, ...options }: SiteOptions & { plugin?: string } = {},
) {
  const site = await bed.createSite(options);
  await site.changeSettings({ siteKeys: true });
  await site.unpackPlugin(plugin ?? (await copyPlugin(OLD_VERSION)));
  await activateSteward(site, options.multisite);
  const printed = await site.runPhp(`
    $result = Steward\\Panel\\License::connect( '${panel.url}', '${panel.licenseKey}' );
    $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
    echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  expect(printed).toBe('connected');
  registerSecret(String(await site.getOption('service_license_key')));
  return site;
}

export async function selfUpdate(site: WordPressSite, sign: Sign, fields: object = {}) {
  const { status, body } = await callSite(site, sign, 'remote/self-update', fields);
  return { status, body: body as unknown as BulkUpdateResponse };
}

/** Sends a signed call of the panel. */
export async function callSite(site: WordPressSite, sign: Sign, path: string, fields: object) {
  const body = JSON.stringify(fields);
  const nonceFor = () => randomBytes(16).toString('hex');
  const response = await fetch(`${site.url}/wp-json/service/v1/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [SERVICE_KEY_HEADER]: String(await site.getOption('service_license_key')),
      ...(await buildSignatureHeaders({ siteUrl: site.url, path, body }, { sign, nonceFor })),
    },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Signs in as the administrator, and returns functions that use the update screen as a browser does. */
export async function openAdmin(site: WordPressSite) {
  const response = await fetch(`${site.url}/wp-login.php`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ log: ADMIN.user, pwd: ADMIN.password }),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const get = async (path: string) => {
    const url = new URL(path, `${site.url}/wp-admin/`);
    const page = await fetch(url, { headers: { cookie } });
    return page.text();
  };
  return {
    get,
    /** Checks for updates on the update screen, and returns the page with the plugins. */
    async checkForUpdates() {
      await get('update-core.php?force-check=1');
      return get('plugins.php');
    },
    /** Follows the link "update now" of the plugin without JavaScript. */
    async updateOnScreen() {
      const page = await get('plugins.php');
      const link = /update\.php\?action=upgrade-plugin[^"]+/.exec(page)?.[0];
      if (!link) throw new Error('The page offers no update of the plugin.');
      const updated = await get(link.replaceAll('&#038;', '&').replaceAll('&amp;', '&'));
      // The screen reactivates the plugin in a frame.
      const frame = /update\.php\?action=activate-plugin[^"']+/.exec(updated)?.[0];
      if (frame) await get(frame.replaceAll('&#038;', '&').replaceAll('&amp;', '&'));
      return updated;
    },
    /** Clicks "update now" of the plugin with JavaScript. */
    async updateByAjax() {
      const page = await get('plugins.php');
      const nonce = /"ajax_nonce":"([0-9a-f]+)"/.exec(page)?.[1] ?? '';
      const response = await fetch(`${site.url}/wp-admin/admin-ajax.php`, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams({
          action: 'update-plugin',
          plugin: 'steward/steward.php',
          slug: 'steward',
          _ajax_nonce: nonce,
        }),
      });
      return response.text();
    },
  };
}

type OfferedPackage = { version: string; zip: Buffer; sha256: string; signature: string };

/** Starts a stub of a panel that offers any package. After `connect`, the site trusts its key. */
export async function startStubPanel() {
  const key = generateKeyPair();
  const signOnce = createSigner(key);
  let offered: OfferedPackage | null = null;
  const server = createServer((request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    request.resume();
    if (!offered || !request.url?.startsWith('/api/v1/plugin/')) return send(503, {});
    const { version, zip, sha256, signature } = offered;
    const fields = { slug: 'steward', version, sha256, size: zip.length, signature };
    if (request.url.endsWith('/offer')) {
      return send(200, {
        success: true,
        offer: { ...fields, requires: '5.9', requires_php: '7.4', tested: '6.5' },
      });
    }
    if (request.url.endsWith('/link')) {
      return send(200, { success: true, package: { ...fields, link: 'stwl_once' } });
    }
    response.writeHead(200, { 'content-type': 'application/zip' }).end(zip);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    sign: async (text: string) => [await signOnce(text)],
    /** Offers the plugin of a folder, correctly signed. `change` replaces fields of the offer. */
    async offer(folder: string, version: string, change: Partial<OfferedPackage> = {}) {
      const zip = await createPluginZip(url, { folder });
      const sha256 = createHash('sha256').update(zip).digest('hex');
      const signature = await signOnce(pluginSigningText(version, change.sha256 ?? sha256));
      offered = { version, zip, sha256, signature, ...change };
    },
    /** Makes the site trust this panel. */
    async connect(site: WordPressSite) {
      await site.setOption('service_panel_url', url);
      await site.setOption('steward_panel_key', key.publicKey);
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
