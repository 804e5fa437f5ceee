/**
 * Updates three small plugins on one real WordPress with nginx and PHP-FPM. Compares the Steward plugin, which
 * checks pages before and after, with WordPress's own upgrader, which does not.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { startBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward, STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { compare } from '../figures.ts';
import { median } from '../median.ts';
import { saveResults } from '../results.ts';

const PLUGINS = ['one', 'two', 'three'];
const FILES = PLUGINS.map((name) => `${name}/${name}.php`);
const ROUNDS = 9;
const MAX_RATIO = 1.5;
const MAX_EXTRA_SECONDS = 1;
/** The time of a download from wordpress.org. The local package server would need no time. */
const DOWNLOAD_MS = 500;
const KEY = 'a key for benchmarks only';

const bed = await startBed();
try {
  const site = await bed.createSite();
  await installSteward(site);
  await copyFile(
    join(import.meta.dirname, 'bare-upgrade.php'),
    join(site.root, 'bare-upgrade.php'),
  );
  await site.setOption('service_license_key', KEY);
  await site.setOption('service_enabled_services', ['remote']);
  await site.setOption('service_panel_url', 'http://127.0.0.1:1');
  await site.setOption('steward_state', { site_url: site.url, activation_token: 'none' });
  await site.changeSettings({ updateMs: DOWNLOAD_MS });
  await site.setActivePlugins([...FILES, STEWARD].toSorted());

  const updateByWordPress = () => fetch(`${site.url}/bare-upgrade.php?plugins=${FILES.join(',')}`);
  const updateBySteward = () =>
    fetch(`${site.url}/wp-json/service/v1/remote/update`, {
      method: 'POST',
      headers: { [SERVICE_KEY_HEADER]: KEY },
    });
  const measure = async (update: () => Promise<Response>) => {
    const offers: Record<string, { version: string; package: string }> = {};
    for (const name of PLUGINS) {
      await writePlugin(site, name, '1.0');
      const packageUrl = await bed.packages.plugin(name, '2.0');
      offers[`${name}/${name}.php`] = { version: '2.0', package: packageUrl };
    }
    await site.offer({ plugins: offers });
    await site.storeUpdateTransients();
    for (const path of ['/', '/wp-login.php', '/?rest_route=/']) await fetch(site.url + path);
    const startedAt = performance.now();
    await (await update()).text();
    const seconds = (performance.now() - startedAt) / 1000;
    const installed = await site.installedPlugins();
    if (!FILES.every((file) => installed[file] === '2.0'))
      throw new Error('The plugins were not updated.');
    return seconds;
  };

  const times = { bare: [] as number[], steward: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const bare = await measure(updateByWordPress);
    const steward = await measure(updateBySteward);
    // The first round warms up opcache.
    if (round === 0) continue;
    times.bare.push(bare);
    times.steward.push(steward);
    print(`round ${round}: WordPress ${bare.toFixed(2)} s, Steward ${steward.toFixed(2)} s`);
  }
  const extra = median(times.steward) - median(times.bare);
  const row = compare(
    `update of ${PLUGINS.length} plugins on one WordPress site`,
    's',
    times.steward,
    { name: 'WordPress upgrader', values: times.bare },
    { atMost: MAX_RATIO },
  );
  saveResults('wordpress-update', [
    {
      ...row,
      limit: `${row.limit}, at most ${MAX_EXTRA_SECONDS} s longer`,
      met: row.met === true && extra <= MAX_EXTRA_SECONDS,
    },
  ]);
} finally {
  await bed.stop();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
