import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Versions = Record<string, string>;

/** Returns versions by plugin file. Reads the same headers as WordPress, but does not run WordPress. */
export async function installedPlugins(root: string): Promise<Versions> {
  const folder = join(root, 'wp-content/plugins');
  const versions: Versions = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const isFolder = entry.isDirectory() || entry.isSymbolicLink();
    const files = isFolder
      ? (await readdir(join(folder, entry.name))).map((name) => `${entry.name}/${name}`)
      : [entry.name];
    for (const file of files.filter((name) => name.endsWith('.php'))) {
      const version = await readVersion(join(folder, file), 'Plugin Name');
      if (version !== null) versions[file] = version;
    }
  }
  return versions;
}

/** Returns versions by theme folder. */
export async function installedThemes(root: string): Promise<Versions> {
  const folder = join(root, 'wp-content/themes');
  const versions: Versions = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const version = await readVersion(join(folder, entry.name, 'style.css'), 'Theme Name');
    if (version !== null) versions[entry.name] = version;
  }
  return versions;
}

export async function coreVersion(root: string): Promise<string> {
  const file = await readFile(join(root, 'wp-includes/version.php'), 'utf8');
  return /^\$wp_version = '(.*)';$/m.exec(file)?.[1] ?? '';
}

async function readVersion(path: string, nameHeader: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (!text.includes(`${nameHeader}:`)) return null;
  return /^[\s*]*Version:\s*(\S+)/m.exec(text)?.[1] ?? '';
}
