/**
 * Requests the home page of one real WordPress with nginx and PHP-FPM, with and without the watchdog, in turns. The Steward
 * plugin itself is inactive, so the difference is the watchdog alone.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { startBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import { compare } from '../figures.ts';
import { saveResults } from '../results.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 20);
const SECONDS = Number(process.env.SECONDS ?? 2);
const CONNECTIONS = 2;
const WARM_UP_REQUESTS = 30;
const MIN_RATIO = 0.98;

const bed = await startBed();
try {
  const site = await bed.createSite();
  await installSteward(site);
  await site.setActivePlugins([]);
  const file = join(site.root, 'wp-content/mu-plugins/steward-watchdog.php');
  const request = async () => {
    const response = await fetch(site.url);
    await response.text();
    if (response.status !== 200) throw new Error(`The page responded with ${response.status}.`);
  };
  const measure = async () => {
    await site.clearOpcache();
    for (let count = 0; count < WARM_UP_REQUESTS; count++) await request();
    const startedAt = performance.now();
    const endsAt = startedAt + SECONDS * 1000;
    let requests = 0;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() < endsAt) {
          await request();
          requests++;
        }
      }),
    );
    return (requests * 1000) / (performance.now() - startedAt);
  };
  const measureWithout = async () => {
    await rename(file, `${file}.off`);
    const perSecond = await measure();
    await rename(`${file}.off`, file);
    return perSecond;
  };

  const rates = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    // The order changes: what else the machine does must not always hit the same one.
    const isFirst = round % 2 === 0;
    if (isFirst) rates.with.push(await measure());
    rates.without.push(await measureWithout());
    if (!isFirst) rates.with.push(await measure());
    process.stdout.write(
      `round ${round + 1}: ${rates.with[round]?.toFixed(1)} with, ${rates.without[round]?.toFixed(1)} without\n`,
    );
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
