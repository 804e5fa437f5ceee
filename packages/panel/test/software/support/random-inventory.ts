import type { Inventory } from '@steward/contract';

/** Returns the same numbers in every run. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed * 7919 + 17;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const VERSIONS = [
  '1.0',
  '1.0-rc1',
  '1.1',
  '1.9',
  '1.10',
  '2.0-beta.2',
  '2.0',
  '2.0.1',
  'trunk',
  '',
];

/** Creates an inventory with some of 25 plugins and 4 themes. Low numbers are on more sites. */
export function createRandomInventory(seed: number): Inventory {
  const random = createRandom(seed);
  const createItem = (name: string) => {
    // The panel drops an empty offer from a report.
    const new_version = (random(3) === 0 && VERSIONS[random(VERSIONS.length)]) || undefined;
    return {
      name,
      version: VERSIONS[random(VERSIONS.length)] as string,
      active: random(4) > 0,
      ...(new_version !== undefined && { new_version }),
    };
  };
  const choose = (count: number) =>
    Array.from({ length: count }, (_, n) => n).filter((n) => random(n + 2) < 2);
  return {
    plugins: [
      ...choose(25).map((n) => ({
        plugin: `plug-${n}/main.php`,
        ...createItem(`Plugin No. ${n}`),
      })),
      { plugin: 'steward/steward.php', ...createItem('Steward') },
      // Two slugs that differ in case only.
      { plugin: seed % 2 ? 'CASE/a.php' : 'case/a.php', ...createItem('Case') },
    ],
    themes: choose(4).map((n) => ({ slug: `theme-${n}`, ...createItem(`Theme No. ${n}`) })),
    core: { version: `6.${random(3)}`, ...(random(2) && { new_version: '6.9' }) },
  };
}
