import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { WORDPRESS_FOLDER } from '../provide/parts.ts';

const VERSION_FILE = 'wp-includes/version.php';
// What belongs to a site, and what is Debian's.
const LEFT_OUT = ['.htaccess', 'wp-config.php', 'wp-content'];

export function withCoreVersion(versionFile: string, version: string): string {
  return versionFile.replace(/^\$wp_version = '.*';$/m, `$wp_version = '${version}';`);
}

/** The WordPress of this machine as the package of a version; made once. */
export async function writeCoreZip(path: string, version: string): Promise<void> {
  if (existsSync(path)) return;
  const zip = new ZipFile();
  for (const name of await coreFiles()) {
    if (name === VERSION_FILE) continue;
    zip.addFile(join(WORDPRESS_FOLDER, name), `wordpress/${name}`, { compress: false });
  }
  const versionFile = await readFile(join(WORDPRESS_FOLDER, VERSION_FILE), 'utf8');
  zip.addBuffer(Buffer.from(withCoreVersion(versionFile, version)), `wordpress/${VERSION_FILE}`);
  zip.end();
  // Two test files may want it at once: each writes its own, and the last one stays.
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await pipeline(zip.outputStream, createWriteStream(draft));
  await rename(draft, path);
}

/** Follows links: Debian keeps shared libraries elsewhere. */
async function coreFiles(below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(WORDPRESS_FOLDER, below))) {
    const name = below ? `${below}/${entry}` : entry;
    if (LEFT_OUT.includes(name)) continue;
    const isFolder = (await stat(join(WORDPRESS_FOLDER, name))).isDirectory();
    found.push(...(isFolder ? await coreFiles(name) : [name]));
  }
  return found;
}
