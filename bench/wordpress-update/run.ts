/**
 * Updates three small plugins, and one plugin with 400 files, on one real WordPress with nginx and PHP-FPM. Compares the
 * Steward plugin, which checks pages before and after, with WordPress's own upgrader, which does not.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { startBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward, STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { compare } from '../figures.ts';
import { saveResults } from '../results.ts';

const ROUNDS = 9;
const MAX_RATIO = 1.5;
/** The time of a download from wordpress.org. The local package server would need no time. */
const DOWNLOAD_MS = 500;
const KEY = 'a key for benchmarks only';
/** The files of a plugin of medium size. */
const FILES_OF_LARGE_PLUGIN = Object.fromEntries(
  Array.from({ length: 400 }, (_, index) => [
    `inc/part-${index}.php`,
    `<?php\nfunction large_${index}( $value ) {\n${"\t$value = trim( $value . ' part' );\n".repeat(100)}\treturn $value;\n}\n`,
  ]),
);
const SETUPS = [
  {
    name: 'update of 3 plugins on one WordPress site',
    plugins: ['one', 'two', 'three'],
    files: {},
  },
  {
    name: 'update of 1 plugin with 400 files on one WordPress site',
    plugins: ['large'],
    files: FILES_OF_LARGE_PLUGIN,
  },
];

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

  const rows = [];
  for (const { name, plugins, files } of SETUPS) {
    const slugs = plugins.map((plugin) => `${plugin}/${plugin}.php`);
    await site.setActivePlugins([...slugs, STEWARD].toSorted());
    const updateByWordPress = () =>
      fetch(`${site.url}/bare-upgrade.php?plugins=${slugs.join(',')}`);
    const updateBySteward = () =>
      fetch(`${site.url}/wp-json/service/v1/remote/update`, {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: KEY },
      });
    const measure = async (update: () => Promise<Response>) => {
      const offers: Record<string, { version: string; package: string }> = {};
      for (const plugin of plugins) {
        await writePlugin(site, plugin, '1.0', { files });
        const packageUrl = await bed.packages.plugin(plugin, '2.0', { files });
        offers[`${plugin}/${plugin}.php`] = { version: '2.0', package: packageUrl };
      }
      await site.offer({ plugins: offers });
      await site.storeUpdateTransients();
      for (const path of ['/', '/wp-login.php', '/?rest_route=/']) await fetch(site.url + path);
      const startedAt = performance.now();
      await (await update()).text();
      const seconds = (performance.now() - startedAt) / 1000;
      const installed = await site.installedPlugins();
      if (!slugs.every((slug) => installed[slug] === '2.0'))
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
    const floor = { name: 'WordPress upgrader', values: times.bare };
    rows.push(compare(name, 's', times.steward, floor, { atMost: MAX_RATIO }));
  }
  saveResults('wordpress-update', rows);
} finally {
  await bed.stop();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
