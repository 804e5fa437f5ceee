/**
 * Requests the home page of one real WordPress with nginx and PHP-FPM, with and without the watchdog, in turns. The Steward
 * plugin itself is inactive, so the difference is the watchdog alone.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import { compare } from '../figures.ts';
import { saveResults } from '../results.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const REQUESTS_PER_ROUND = Number(process.env.REQUESTS ?? 200);
const MIN_RATIO = 0.98;

const bed = await startBed();
try {
  const site = await bed.createSite();
  await installSteward(site);
  await site.setActivePlugins([]);
  const file = join(site.root, 'wp-content/mu-plugins/steward-watchdog.php');
  const watchdog = await readFile(file, 'utf8');
  const skip = "if ( isset( $_SERVER['HTTP_X_WITHOUT_WATCHDOG'] ) ) { return; }";
  await writeFile(file, watchdog.replace('<?php', `<?php ${skip}`));
  await site.clearOpcache();

  /** Returns the milliseconds of one request. */
  const request = async (headers: Record<string, string>) => {
    const startedAt = performance.now();
    const response = await fetch(site.url, { headers });
    await response.text();
    if (response.status !== 200) throw new Error(`The page responded with ${response.status}.`);
    return performance.now() - startedAt;
  };
  const rates = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const ms = { with: 0, without: 0 };
    for (let count = 0; count < REQUESTS_PER_ROUND; count++) {
      // The order changes, and the turns are short: the load of the machine must hit both.
      if (count % 2 === 0) ms.with += await request({});
      ms.without += await request({ 'x-without-watchdog': '1' });
      if (count % 2 === 1) ms.with += await request({});
    }
    // The first round compiles the files.
    if (round === 0) continue;
    rates.with.push((REQUESTS_PER_ROUND * 1000) / ms.with);
    rates.without.push((REQUESTS_PER_ROUND * 1000) / ms.without);
  }
  saveResults('watchdog-cost', [
    compare(
      'home page of a WordPress site with the watchdog',
      'requests/s',
      rates.with,
      { name: 'without the watchdog', values: rates.without },
      { atLeast: MIN_RATIO },
    ),
  ]);
} finally {
  await bed.stop();
}
