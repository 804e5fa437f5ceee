import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { detectParts, missingParts } from '@steward/testkit/provide/parts.ts';
import { describeMissingAndFix } from '@steward/testkit/provide/provide-plan.ts';
import { type Bed, startBed } from '@steward/testkit/wordpress/bed.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { ADMIN } from '@steward/testkit/wordpress/template.ts';
import { LICENSES } from './fleet.ts';
import type { Kept } from './folder.ts';
import { print } from './print.ts';
import { type PluginUpdate, WORDPRESS_SITES, wordpressPort } from './wordpress-sites.ts';

/** Two real WordPress sites. They are made anew at each start, under the same addresses. */

const STEWARD = 'steward/steward.php';
const VERSIONS = { before: '1.0', after: '2.0' };

type Panel = { folder: string; panelUrl: string; kept: Kept };

/** Before anything is started. */
export function assertWordPressCanRun(): void {
  const missing = missingParts(detectParts(), ['SKIP_BROWSER']);
  if (missing.length > 0) throw new Error(describeMissingAndFix(missing, 'The WordPress sites'));
}

export async function startWordPress(panel: Panel, onStart: (stop: () => Promise<void>) => void) {
  print('\nMaking two WordPress sites…');
  const folder = join(panel.folder, 'wordpress');
  // Left by a demo that was killed.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const bed = await startBed(folder);
  const sites: WordPressSite[] = [];
  onStart(async () => {
    await Promise.all(sites.map(disconnect));
    await bed.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const zip = join(folder, 'steward.zip');
  const session = await signInAt(panel.panelUrl, panel.kept);
  await writeFile(zip, await session.ask<Buffer>('GET', '/panel/plugin.zip'));
  const licenseKey = await agencyKey(session, panel.kept.password);
  for (const [index, { host, title, plugins }] of WORDPRESS_SITES.entries()) {
    const port = wordpressPort(index, panel.kept.port);
    const site = await bed.createSite({ host, port, workers: 4 });
    sites.push(site);
    await site.behave({ siteKeys: true });
    await site.setOption('blogname', title);
    await offerUpdates(bed, site, plugins);
    await connect(site, zip, { panelUrl: panel.panelUrl, licenseKey });
    print(`  ${title.padEnd(15)} ${site.url}/wp-admin/`);
  }
  print(
    `  Sign in there as ${ADMIN.user} with ${ADMIN.password}. They are made anew at each start.`,
  );
}

/** As an owner shows it again. The sites have keys of their own. */
async function agencyKey(session: PanelClient, password: string): Promise<string> {
  const { licenses } = await session.ask<{ licenses: { id: number; plan: { name: string } }[] }>(
    'GET',
    '/panel/licenses',
  );
  const agency = licenses.find(({ plan }) => plan.name === LICENSES.agency.plan);
  if (!agency) throw new Error('The license of the demo is gone.');
  const path = `/panel/licenses/${agency.id}/reveal-key`;
  await session.ask('POST', '/auth/confirm', { password });
  return (await session.ask<{ license_key: string }>('POST', path)).license_key;
}

async function offerUpdates(bed: Bed, site: WordPressSite, plugins: PluginUpdate[]): Promise<void> {
  const offers: Record<string, { version: string; package: string }> = {};
  for (const { name, ...options } of plugins) {
    await writePlugin(site, name, VERSIONS.before);
    const address = await bed.packages.plugin(name, VERSIONS.after, options);
    offers[`${name}/${name}.php`] = { version: VERSIONS.after, package: address };
  }
  await site.setActivePlugins(plugins.map(({ name }) => `${name}/${name}.php`));
  await site.offer({ plugins: offers });
  await site.storeUpdateTransients();
}

/** As a person would: upload, activate, paste the key. */
async function connect(
  site: WordPressSite,
  zip: string,
  { panelUrl, licenseKey }: { panelUrl: string; licenseKey: string },
): Promise<void> {
  await site.unpackPlugin(zip);
  const printed = await site.runPhp(`
    require_once ABSPATH . 'wp-admin/includes/plugin.php';
    $result = activate_plugin( '${STEWARD}' );
    $result = is_wp_error( $result ) ? $result : \\Steward\\Panel\\License::connect( '${panelUrl}', '${licenseKey}' );
    $result = is_wp_error( $result ) ? $result : \\Steward\\Panel\\Check_In::run_after_connecting();
    echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  if (printed !== 'connected') throw new Error(`${site.url} could not be connected: ${printed}`);
}

/** A panel that is gone already is no reason to stay. */
async function disconnect(site: WordPressSite): Promise<void> {
  await site.runPhp('\\Steward\\Panel\\License::disconnect();').catch(() => {});
}
