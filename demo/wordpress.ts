import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { findMissingPartsOf } from '@steward/testkit/provide/parts.ts';
import { describeMissing } from '@steward/testkit/provide/provide-plan.ts';
import { type Bed, startBed } from '@steward/testkit/wordpress/bed.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { ADMIN } from '@steward/testkit/wordpress/template.ts';
import { LICENSES } from './demo-site.ts';
import type { DemoState } from './folder.ts';
import { print } from './print.ts';
import { type PluginUpdate, WORDPRESS_SITES, wordpressPort } from './wordpress-sites.ts';

const STEWARD = 'steward/steward.php';
const VERSIONS = { before: '1.0', after: '2.0' };

type RunningDemo = { folder: string; panelUrl: string; state: DemoState };

/** Call this before starting anything. */
export function assertWordPressCanRun(): void {
  const missing = findMissingPartsOf('SKIP_WORDPRESS');
  if (missing.length > 0) throw new Error(describeMissing(missing, 'The WordPress sites'));
}

/** Creates two WordPress sites. They are new at each start, but keep their addresses. */
export async function startWordPress(
  demo: RunningDemo,
  addShutdown: (stop: () => Promise<void>) => void,
) {
  print('\nCreating two WordPress sites…');
  const folder = join(demo.folder, 'wordpress');
  // Remove leftovers of a killed demo.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const bed = await startBed(folder);
  const sites: WordPressSite[] = [];
  addShutdown(async () => {
    await Promise.all(sites.map(disconnect));
    await bed.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const zip = join(folder, 'steward.zip');
  const session = await signInAt(demo.panelUrl, demo.state);
  await writeFile(zip, await session.ask<Buffer>('GET', '/panel/plugin.zip'));
  const licenseKey = await revealAgencyKey(session, demo.state.password);
  for (const [index, { host, title, plugins }] of WORDPRESS_SITES.entries()) {
    const port = wordpressPort(index, demo.state);
    const site = await bed.createSite({ host, port, workers: 4 });
    sites.push(site);
    await site.changeSettings({ siteKeys: true });
    await site.setOption('blogname', title);
    await offerUpdates(bed, site, plugins);
    await connect(site, zip, { panelUrl: demo.panelUrl, licenseKey });
    print(`  ${title.padEnd(15)} ${site.url}/wp-admin/`);
  }
  print(
    `  Sign in with user ${ADMIN.user}, password ${ADMIN.password}. These sites are recreated at each start.`,
  );
}

/** Reveals the license key as an owner does. The demo does not store it, and the other sites have site keys. */
async function revealAgencyKey(session: PanelClient, password: string): Promise<string> {
  const { licenses } = await session.ask<{ licenses: { id: number; plan: { name: string } }[] }>(
    'GET',
    '/panel/licenses',
  );
  const agency = licenses.find(({ plan }) => plan.name === LICENSES.agency.plan);
  if (!agency) throw new Error('The Agency license of the demo is missing.');
  const path = `/panel/licenses/${agency.id}/reveal-key`;
  await session.ask('POST', '/auth/confirm', { password });
  return (await session.ask<{ license_key: string }>('POST', path)).license_key;
}

async function offerUpdates(bed: Bed, site: WordPressSite, plugins: PluginUpdate[]): Promise<void> {
  const offers: Record<string, { version: string; package: string }> = {};
  for (const { name, ...options } of plugins) {
    await writePlugin(site, name, VERSIONS.before);
    const packageUrl = await bed.packages.plugin(name, VERSIONS.after, options);
    offers[`${name}/${name}.php`] = { version: VERSIONS.after, package: packageUrl };
  }
  await site.setActivePlugins(plugins.map(({ name }) => `${name}/${name}.php`));
  await site.offer({ plugins: offers });
  await site.storeUpdateTransients();
}

/** Installs and activates the Steward plugin and connects it, as a user would. */
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
  if (printed !== 'connected') throw new Error(`Could not connect ${site.url}: ${printed}`);
}

/** Ignores errors: the panel may already be stopped. */
async function disconnect(site: WordPressSite): Promise<void> {
  await site.runPhp('\\Steward\\Panel\\License::disconnect();').catch(() => {});
}
