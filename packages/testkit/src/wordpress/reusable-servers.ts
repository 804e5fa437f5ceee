import { cp, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '../command.ts';
import { coreFolder } from './template.ts';
import type { WebServer } from './web-server.ts';

/** The web server and the WordPress files of a stopped site. */
export type ReusableServer = { folder: string; root: string; server: WebServer };

/** By folder of the test bed. The servers end with this process. */
const reusable = new Map<string, ReusableServer[]>();

/** The files of WordPress that belong to a site. */
const FILES_OF_SITE = ['wp-content', 'wp-config.php', '.maintenance'];
const IDLE_CHECKS = 10;
const KEPT_FOLDERS = ['web', 'server', 'compiled'];

/**
 * Returns the web server of a stopped site. PHP compiles WordPress at the first request to a new web server, which takes
 * longer than most tests. The site gets a new address, database, configuration and wp-content.
 */
export async function takeServer(bedFolder: string): Promise<ReusableServer | undefined> {
  const taken = reusable.get(bedFolder)?.pop();
  if (!taken) return undefined;
  const { root, server } = taken;
  await cp(join(coreFolder(bedFolder), 'wp-content'), join(root, 'wp-content'), {
    recursive: true,
  });
  await server.resume();
  return taken;
}

/**
 * Deletes what belongs to the site, and keeps the web server for the next one. Returns false if a test changed WordPress
 * itself, or PHP still runs a request.
 */
export async function keepServer(bedFolder: string, stopped: ReusableServer): Promise<boolean> {
  const { folder, root, server } = stopped;
  if (!(await becomesIdle(server))) return false;
  // PHP remembers for two minutes where a symbolic link led to.
  if (!(await lstat(join(root, 'wp-content'))).isDirectory()) return false;
  const [files, unchanged] = await Promise.all([
    listCoreFiles(root),
    listCoreFiles(coreFolder(bedFolder)),
  ]);
  if (files !== unchanged) return false;
  await server.pause();
  for (const name of FILES_OF_SITE) await rm(join(root, name), { recursive: true, force: true });
  for (const name of await readdir(folder)) {
    if (!KEPT_FOLDERS.includes(name)) await rm(join(folder, name), { recursive: true });
  }
  await rm(join(folder, 'server/php.log'), { force: true });
  reusable.set(bedFolder, [...(reusable.get(bedFolder) ?? []), stopped]);
  return true;
}

/** PHP can still be busy for a moment after its last response. */
async function becomesIdle(server: WebServer): Promise<boolean> {
  for (let checks = 0; checks < IDLE_CHECKS; checks++) {
    if (await server.isIdle()) return true;
    await delay(50);
  }
  return false;
}

/** Lists the size and time of each file. Copies have the times of their template. */
async function listCoreFiles(root: string): Promise<string> {
  const skipped = FILES_OF_SITE.flatMap((name) => ['-path', join(root, name), '-prune', '-o']);
  const files = await run('find', [root, ...skipped, '-type', 'f', '-printf', '%P %s %T@\n']);
  return files.split('\n').toSorted().join('\n');
}
