const PLUGINS = 400;

/** Each plugin has three to six versions. Low numbers are popular: plugin 0 is on most sites, plugin 399 on few. */
const versionCount = (plugin: number) => 3 + (plugin % 4);
const versionName = (plugin: number, release: number) => `${1 + (plugin % 9)}.${8 + release}`;

/** Half of the sites run the newest version; each older version is half as frequent. */
function pickRelease(plugin: number, random: () => number): number {
  const newest = versionCount(plugin) - 1;
  return Math.max(0, newest - Math.floor(-Math.log2(1 - random())));
}

function pickPlugins(count: number, random: () => number): number[] {
  const picked = new Set<number>();
  while (picked.size < count) picked.add(Math.floor(PLUGINS * random() ** 2.2));
  return [...picked];
}

/** Creates twenty of 400 plugins, a theme and core. Sites with `pending` 0 report no updates. */
export function createInventory(pending: number, random: () => number) {
  const plugins = pickPlugins(20, random).map((n) => {
    const release = pickRelease(n, random);
    const newest = versionCount(n) - 1;
    return {
      plugin: `plugin-${n}/plugin-${n}.php`,
      name: `Plugin ${n} for ${n % 7 === 0 ? 'Shops' : 'Pages'}`,
      version: versionName(n, release),
      // Some plugins are active nowhere.
      active: n % 50 !== 49 && random() < 0.9,
      ...(pending > 0 && release < newest && { new_version: versionName(n, newest) }),
    };
  });
  const core = random() < 0.2 ? { version: '6.8.1', new_version: '6.8.2' } : { version: '6.8.2' };
  return {
    plugins,
    themes: [{ slug: 'plain', name: 'Plain', version: '2.1', active: true }],
    core: pending > 0 ? core : { version: core.version },
  };
}
