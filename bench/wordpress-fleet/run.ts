/**
 * Compares a run of the panel with the same calls made directly to all sites at the same time. Eight real WordPress
 * sites share one address. Each has three plugin updates.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { startBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward, STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { compare } from '../figures.ts';
import { run, startPanelProcess } from '../panel-process.ts';
import { saveResults } from '../results.ts';

const SITES = 8;
const PLUGINS = ['one', 'two', 'three'];
const ROUNDS = 5;
const MAX_RATIO = 2;
const VERSIONS = { cms_version: '6.1', php_version: '8.2', plugin_version: '0.1.0' };

type ConnectedSite = { site: WordPressSite; id: number };

const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
const env = {
  DATA_DIR: dataDir,
  ALLOW_PRIVATE_SITES: 'true',
  SITE_CALLS_PER_ADDRESS: String(SITES),
};
const bed = await startBed();
const panel = await startPanelProcess(env);
try {
  const create = ['license', 'create', '--plan', 'Bench', '--site-limit', String(SITES)];
  const { license_key } = await run<{ license_key: string }>(create, env);
  const sites: ConnectedSite[] = [];
  for (let count = 0; count < SITES; count++) sites.push(await newSite(license_key));
  const times = { direct: [] as number[], panel: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const direct = await measure(sites, () => updateDirectly(sites, license_key));
    const viaPanel = await measure(sites, () => updateThroughPanel(sites));
    // The first round warms up the caches of PHP and Node.js.
    if (round === 0) continue;
    times.direct.push(direct);
    times.panel.push(viaPanel);
    print(`round ${round}: direct ${direct.toFixed(2)} s, panel ${viaPanel.toFixed(2)} s`);
  }
  saveResults('wordpress-fleet', [
    compare(
      `run over ${SITES} WordPress sites`,
      's',
      times.panel,
      { name: 'direct calls', values: times.direct },
      { atMost: MAX_RATIO },
    ),
  ]);
} finally {
  await panel.stop();
  await bed.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function newSite(licenseKey: string): Promise<ConnectedSite> {
  const site = await bed.createSite();
  await installSteward(site);
  const response = await fetch(`${panel.url}/api/v1/license/activate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ license_key: licenseKey, site_url: site.url, ...VERSIONS }),
  });
  const { activation, activation_token } = (await response.json()) as {
    activation: { site_id: number };
    activation_token: string;
  };
  await site.setOption('service_license_key', licenseKey);
  await site.setOption('service_enabled_services', ['remote']);
  await site.setOption('service_panel_url', panel.url);
  await site.setOption('steward_state', { site_url: site.url, activation_token });
  await site.setActivePlugins(
    [...PLUGINS.map((name) => `${name}/${name}.php`), STEWARD].toSorted(),
  );
  return { site, id: activation.site_id };
}

/** Restores the old versions and returns the seconds until all sites have the new ones. */
async function measure(sites: ConnectedSite[], update: () => Promise<void>): Promise<number> {
  const offers: Record<string, { version: string; package: string }> = {};
  for (const name of PLUGINS) {
    const packageUrl = await bed.packages.plugin(name, '2.0');
    offers[`${name}/${name}.php`] = { version: '2.0', package: packageUrl };
  }
  for (const { site } of sites) {
    for (const name of PLUGINS) await writePlugin(site, name, '1.0');
    await site.clearOpcache();
    await site.offer({ plugins: offers });
    await site.storeUpdateTransients();
    await fetch(site.url);
  }
  const startedAt = performance.now();
  await update();
  const seconds = (performance.now() - startedAt) / 1000;
  for (const { site } of sites) {
    const installed = await site.installedPlugins();
    const isUpdated = PLUGINS.every((name) => installed[`${name}/${name}.php`] === '2.0');
    if (!isUpdated) throw new Error(`${site.url} was not updated.`);
  }
  return seconds;
}

async function updateDirectly(sites: ConnectedSite[], licenseKey: string): Promise<void> {
  await Promise.all(
    sites.map(async ({ site }) => {
      const response = await fetch(`${site.url}/cms-json/service/v1/remote/update`, {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: licenseKey },
      });
      await response.json();
    }),
  );
}

async function updateThroughPanel(sites: ConnectedSite[]): Promise<void> {
  const ids = sites.map(({ id }) => id);
  await panel.owner.ask(
    'POST',
    '/remote/update',
    { site_ids: ids },
    { headers: { prefer: 'wait=300' } },
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
