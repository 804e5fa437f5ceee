/** Creates realistic names and inventories. A seeded random generator makes them the same in every run. */

const WORDS =
  'bakery garage studio clinic hotel flowers lawyer dental yoga coffee books cycles press garden museum school choir tours wine cinema'.split(
    ' ',
  );
const PLACES =
  'oslo bergen malmo lund aarhus odense turku tampere riga tallinn vilnius gdansk krakow brno linz graz basel bern lyon nantes porto braga cork galway leeds york bath ghent bruges delft'.split(
    ' ',
  );
const ENDINGS = ['com', 'com', 'com', 'net', 'org', 'de', 'no', 'se'];
const PLUGINS = Array.from({ length: 60 }, (_, n) => `plugin-${n}`);

export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const pick = <T>(list: T[], random: () => number) => list[Math.floor(random() * list.length)] as T;

/** Creates a site URL. 30 % contain `shop`. `n` makes each URL unique. */
export function siteUrl(n: number, random: () => number): string {
  const words = [pick(WORDS, random), pick(PLACES, random)];
  if (random() < 0.3) words.splice(Math.floor(random() * 3), 0, 'shop');
  const path = random() < 0.1 ? `/${pick(PLACES, random)}` : '';
  return `https://www.${words.join('-')}-${n}.${pick(ENDINGS, random)}${path}/`;
}

/** Creates about twenty plugins. `pending` plugins have an update; above 3 also the theme, above 4 also core. */
export function inventory(pending: number, random: () => number) {
  const first = Math.floor(random() * PLUGINS.length);
  const plugins = Array.from({ length: 16 + Math.floor(random() * 8) }, (_, n) => {
    const slug = PLUGINS[(first + n) % PLUGINS.length] as string;
    return {
      plugin: `${slug}/${slug}.php`,
      name: `The ${slug} for all sites`,
      version: `${n}.${Math.floor(random() * 9)}`,
      active: random() < 0.9,
      ...(n < pending && { new_version: `${n + 1}.0` }),
    };
  });
  const theme = { slug: 'plain', name: 'Plain', version: '2.1', active: true };
  return {
    plugins,
    themes: [{ ...theme, ...(pending > 3 && { new_version: '2.2' }) }],
    core: { version: '6.8.1', ...(pending > 4 && { new_version: '6.8.2' }) },
  };
}
