import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createZip } from '@steward/testkit/package-zip.ts';
import type { DemoSite } from './demo-site.ts';
import {
  CORE,
  DAMAGED_PLUGIN,
  PLUGINS,
  type PluginName,
  THEMES,
  type ThemeName,
} from './software.ts';

type Files = Record<string, string>;
type Kind = 'Plugin' | 'Theme' | 'Core';
type Offer = { version: string; package: string };

export const siteRoot = (folder: string, { host }: DemoSite) => join(folder, 'sites', host);
export const siteFeed = (folder: string, { fault }: DemoSite) =>
  join(folder, fault === 'damaged_package' ? 'packages-damaged' : 'packages');

/** Writes the installed files of the sites and the update packages. */
export async function writeFleet(folder: string, sites: DemoSite[]): Promise<void> {
  await writeFeed(join(folder, 'packages'), null);
  await writeFeed(join(folder, 'packages-damaged'), DAMAGED_PLUGIN);
  for (const site of sites) await writeSite(siteRoot(folder, site), site);
}

async function writeFeed(folder: string, damaged: PluginName | null): Promise<void> {
  const offers = {
    plugins: {} as Record<string, Offer>,
    themes: {} as Record<string, Offer>,
    core: { version: CORE.version, package: `core-${CORE.version}.zip` },
  };
  const packages: [name: string, files: Files, isDamaged: boolean][] = [
    [offers.core.package, createCoreFiles(CORE.version), false],
  ];
  for (const plugin of Object.keys(PLUGINS) as PluginName[]) {
    const { version } = PLUGINS[plugin];
    const offer = { version, package: `${plugin}-${version}.zip` };
    offers.plugins[pluginFile(plugin)] = offer;
    packages.push([offer.package, createPluginFiles(plugin, version), plugin === damaged]);
  }
  for (const theme of Object.keys(THEMES) as ThemeName[]) {
    const { version } = THEMES[theme];
    offers.themes[theme] = { version, package: `${theme}-${version}.zip` };
    packages.push([`${theme}-${version}.zip`, createThemeFiles(theme, version), false]);
  }
  await mkdir(folder, { recursive: true });
  for (const [name, files, isDamaged] of packages) {
    const zip = await createZip(
      Object.entries(files).map(([name, content]) => ({ name, content })),
    );
    // Damage a file but not the directory at the end of the zip, so that opening the zip still succeeds.
    await writeFile(join(folder, name), isDamaged ? zip.fill(0xff, 30, 90) : zip);
  }
  await writeFile(join(folder, 'feed.json'), JSON.stringify(offers, null, 2));
}

async function writeSite(root: string, { plugins, theme, outdated }: DemoSite): Promise<void> {
  const getInstalledVersion = <Name extends DemoSite['outdated'][number]>(
    name: Name,
    release: { version: string; previous: string },
  ) => (outdated.includes(name) ? release.previous : release.version);
  await writeFiles(root, createCoreFiles(getInstalledVersion('core', CORE)));
  await writeFiles(
    join(root, 'themes'),
    createThemeFiles(theme, getInstalledVersion(theme, THEMES[theme])),
  );
  for (const plugin of plugins) {
    await writeFiles(
      join(root, 'plugins'),
      createPluginFiles(plugin, getInstalledVersion(plugin, PLUGINS[plugin])),
    );
  }
  const state = { active_plugins: plugins.map(pluginFile), active_theme: theme };
  await writeFile(join(root, 'state.json'), JSON.stringify(state), { mode: 0o600 });
}

export const pluginFile = (plugin: PluginName) => `${plugin}/${plugin}.php`;

function createPluginFiles(plugin: PluginName, version: string): Files {
  const { name } = PLUGINS[plugin];
  return {
    [pluginFile(plugin)]:
      `${createHeader('Plugin', name, version)}\nrequire_once __DIR__ . '/includes/start.php';\n`,
    [`${plugin}/includes/start.php`]: `<?php\n\nconst VERSION = '${version}';\n`,
    [`${plugin}/readme.txt`]: `=== ${name} ===\nStable tag: ${version}\n`,
  };
}

function createThemeFiles(theme: ThemeName, version: string): Files {
  const css = createHeader('Theme', THEMES[theme].name, version).replace('<?php\n', '');
  return {
    [`${theme}/style.css`]: `${css}\nbody { font-family: sans-serif; }\n`,
    [`${theme}/index.php`]: '<?php\n\nwhile ( have_posts() ) { the_post(); the_content(); }\n',
  };
}

function createCoreFiles(version: string): Files {
  return {
    'core/core.php': createHeader('Core', CORE.name, version),
    'core/includes/version.php': `<?php\n\n$version = '${version}';\n`,
  };
}

function createHeader(kind: Kind, name: string, version: string): string {
  return `<?php\n/**\n * ${kind} Name: ${name}\n * Version: ${version}\n */\n`;
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
