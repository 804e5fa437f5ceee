import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { WORDPRESS_FOLDER } from '../provide/parts.ts';

const VERSION_FILE = 'wp-includes/version.php';
// These belong to a site or to Debian, not to WordPress.
const EXCLUDED = ['.htaccess', 'wp-config.php', 'wp-content'];

export function withCoreVersion(versionFile: string, version: string): string {
  return versionFile.replace(/^\$wp_version = '.*';$/m, `$wp_version = '${version}';`);
}

/** Zips the installed WordPress as the package of a version, once per test run. */
export async function writeCoreZip(path: string, version: string): Promise<void> {
  if (existsSync(path)) return;
  const zip = new ZipFile();
  for (const name of await listCoreFiles()) {
    if (name === VERSION_FILE) continue;
    zip.addFile(join(WORDPRESS_FOLDER, name), `wordpress/${name}`, { compress: false });
  }
  const versionFile = await readFile(join(WORDPRESS_FOLDER, VERSION_FILE), 'utf8');
  zip.addBuffer(Buffer.from(withCoreVersion(versionFile, version)), `wordpress/${VERSION_FILE}`);
  zip.end();
  // Two test files may write the zip at the same time. Each writes its own temporary file; the last rename wins.
  const temporaryFile = `${path}.${randomBytes(4).toString('hex')}`;
  await pipeline(zip.outputStream, createWriteStream(temporaryFile));
  await rename(temporaryFile, path);
}

/** Lists files behind symbolic links too, because Debian keeps shared libraries elsewhere. */
async function listCoreFiles(folder = ''): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(join(WORDPRESS_FOLDER, folder))) {
    const name = folder ? `${folder}/${entry}` : entry;
    if (EXCLUDED.includes(name)) continue;
    const isFolder = (await stat(join(WORDPRESS_FOLDER, name))).isDirectory();
    names.push(...(isFolder ? await listCoreFiles(name) : [name]));
  }
  return names;
}
