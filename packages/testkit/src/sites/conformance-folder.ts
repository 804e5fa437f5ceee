import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  CORE,
  DIRECTORY_PLUGIN,
  type InstalledState,
  PLUGINS,
  type Scenario,
  THEMES,
} from '@steward/conformance/site-under-test.ts';
import { phpFileHeader, writeZip } from '../zip.ts';

/** Writes the site of the conformance suite as folders and zips. `readState` does not use the code under test. */
export async function prepareSiteFolder(folder: string, scenario: Scenario) {
  const { updates, coreUpdate, requiresCore, packageVersion } = scenario;
  const root = join(folder, 'site');
  const feed = join(folder, 'feed');
  await rm(folder, { recursive: true, force: true });
  await mkdir(feed, { recursive: true });

  const offers = {
    plugins: {} as Record<string, object>,
    themes: {} as Record<string, object>,
    core: null as object | null,
  };
  for (const [name, plugin] of Object.entries(PLUGINS)) {
    const requires = 'requires' in plugin ? plugin.requires : '';
    await write(
      join(root, 'plugins', plugin.file),
      phpFileHeader('Plugin', name, plugin.version, requires),
    );
    const isExcluded = name === 'corrupt' && updates !== 'one_corrupt';
    if (!('newVersion' in plugin) || updates === 'none' || isExcluded) continue;
    const zip = `${name}-${plugin.newVersion}.zip`;
    offers.plugins[plugin.file] = {
      version: plugin.newVersion,
      package: zip,
      ...(name === 'good' && requiresCore !== undefined && { requires: requiresCore }),
    };
    const packaged = (name === 'good' && packageVersion) || plugin.newVersion;
    await writeZip(join(feed, zip), [
      { name: plugin.file, content: phpFileHeader('Plugin', name, packaged) },
      { name: `${name}/more/new.txt`, content: 'new' },
    ]);
    if (name === 'corrupt') await breakZip(join(feed, zip));
  }
  const { slug, file, version } = DIRECTORY_PLUGIN;
  offers.plugins[file] = { version, package: 'listed.zip' };
  const listed = { name: file, content: phpFileHeader('Plugin', slug, version) };
  await writeZip(join(feed, 'listed.zip'), [listed]);
  for (const theme of Object.values(THEMES)) {
    const style = join(root, 'themes', theme.slug, 'style.css');
    await write(style, phpFileHeader('Theme', theme.slug, theme.version));
    if (!('newVersion' in theme) || updates === 'none') continue;
    offers.themes[theme.slug] = { version: theme.newVersion, package: 'plain.zip' };
    const content = phpFileHeader('Theme', theme.slug, theme.newVersion);
    await writeZip(join(feed, 'plain.zip'), [{ name: 'plain/style.css', content }]);
  }
  await write(join(root, 'core/core.php'), phpFileHeader('Core', 'Core', CORE.version));
  if (coreUpdate) {
    offers.core = { version: CORE.newVersion, package: 'core.zip' };
    const content = phpFileHeader('Core', 'Core', CORE.newVersion);
    await writeZip(join(feed, 'core.zip'), [{ name: 'core/core.php', content }]);
  }
  await writeFile(join(feed, 'feed.json'), JSON.stringify(offers));
  const active_plugins = Object.values(PLUGINS).flatMap(({ active, file }) =>
    active ? [file] : [],
  );
  await writeFile(
    join(root, 'state.json'),
    JSON.stringify({ active_plugins, active_theme: 'plain' }),
  );
  return { root, feed, readState: () => readState(root) };
}

/** Damages a file but not the directory at the end of the zip, so that opening the zip still succeeds. */
async function breakZip(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes.fill(0xff, 30, 90);
  await writeFile(path, bytes);
}

async function readState(root: string): Promise<InstalledState> {
  const files = (await readdir(join(root, 'plugins'), { recursive: true })).filter((name) =>
    name.endsWith('.php'),
  );
  const readVersion = async (path: string) =>
    /Version: (\S+)/.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  const plugins: Record<string, string> = {};
  for (const file of files) plugins[file] = await readVersion(join(root, 'plugins', file));
  const themes: Record<string, string> = {};
  for (const slug of await readdir(join(root, 'themes'))) {
    themes[slug] = await readVersion(join(root, 'themes', slug, 'style.css'));
  }
  const { active_plugins } = JSON.parse(await readFile(join(root, 'state.json'), 'utf8'));
  return {
    plugins,
    themes,
    core: await readVersion(join(root, 'core/core.php')),
    active: active_plugins,
  };
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
