import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';

export type Constants = Record<string, string | number | boolean | null>;

/** The folders and constants of a site. `folder` contains the settings and the log, outside of the web root. */
export type SiteFolder = {
  folder: string;
  /** The WordPress folder (ABSPATH). */
  root: string;
  constants: Constants;
};

export type Offer = {
  version: string;
  package: string;
  /** The requirements that the update server states. Default: WordPress 6.0 and PHP 7.4. */
  requirements?: { requires?: string; requires_php?: string; requires_plugins?: string[] };
};
/** A language pack. `updated` is the date of the translation, such as `2026-01-01 00:00:00`. */
export type TranslationOffer = {
  type: 'plugin' | 'theme' | 'core';
  slug: string;
  language: string;
  updated: string;
  package: string;
};
export type Offers = {
  plugins: Record<string, Offer>;
  themes: Record<string, Offer>;
  core: Offer | null;
  translations?: TranslationOffer[];
};
/** A plugin or theme of the public directory, which sites can install: the newest version, and links to others. */
export type ListedItem = {
  name: string;
  version: string;
  download_link: string;
  versions?: Record<string, string>;
};

/** The settings that the must-use plugin of the test bed reads from `bed.json`. */
export type SiteSettings = {
  /** The updates that the site gets from its update checks. */
  offers: Offers;
  /** The public directory, by slug. */
  directory: { plugins: Record<string, ListedItem>; themes: Record<string, ListedItem> };
  /** Whether WordPress refuses to change files, as with `DISALLOW_FILE_MODS`. */
  fileChangesDisabled: boolean;
  /** The delay before each package download, to simulate slow updates. */
  updateMs: number;
  /** False: the plugin announces neither site keys nor signed calls. */
  siteKeys: boolean;
};

const DEFAULT_SETTINGS: SiteSettings = {
  offers: { plugins: {}, themes: {}, core: null },
  directory: { plugins: {}, themes: {} },
  fileChangesDisabled: false,
  updateMs: 0,
  siteKeys: false,
};

/** Configures the WordPress in `root` to connect only to MariaDB and loopback. */
export async function prepareSiteFolder(
  { folder, root }: Pick<SiteFolder, 'folder' | 'root'>,
  { socket, database }: { socket: string; database: string },
): Promise<SiteFolder> {
  const constants = {
    DB_NAME: database,
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    WP_DEBUG: true,
    WP_DEBUG_LOG: debugLogPath(folder),
    WP_DEBUG_DISPLAY: false,
    DISABLE_WP_CRON: true,
    AUTOMATIC_UPDATER_DISABLED: true,
    FS_METHOD: 'direct',
    TEST_BED_FILE: settingsPath(folder),
    ...createSecrets(),
  };
  const muPlugins = join(root, 'wp-content/mu-plugins');
  const config = await readFile(join(import.meta.dirname, 'wp-config.php'), 'utf8');
  await mkdir(muPlugins, { recursive: true });
  await writeFile(
    join(root, 'wp-config.php'),
    config.replace('{{constants file}}', constantsPath(folder)),
  );
  await copyFile(join(import.meta.dirname, 'mu-plugin.php'), join(muPlugins, 'test-bed.php'));
  await writeFile(debugLogPath(folder), '');
  await mkdir(compiledFolder(folder), { recursive: true });
  await writeFile(uncompiledPath(folder), listUncompiled(root).join('\n'));
  const site = { folder, root, constants };
  await writeConstants(site, {});
  await writeJson(settingsPath(folder), DEFAULT_SETTINGS);
  return site;
}

/** Writes the constants of the site and `more`. A null value removes a constant. */
export async function writeConstants(site: SiteFolder, more: Constants): Promise<void> {
  const all = Object.entries({ ...site.constants, ...more });
  const defined = all.filter(([, value]) => value !== null);
  await writeJson(constantsPath(site.folder), Object.fromEntries(defined));
}

export async function readSiteSettings(folder: string): Promise<SiteSettings> {
  return JSON.parse(await readFile(settingsPath(folder), 'utf8'));
}

export async function changeSiteSettings(
  folder: string,
  changes: Partial<SiteSettings>,
): Promise<void> {
  await writeJson(settingsPath(folder), { ...(await readSiteSettings(folder)), ...changes });
}

/** Files that tests and updates change. Their times have a precision of one second, too low to notice each change. */
const listUncompiled = (root: string) =>
  ['wp-content/', 'wp-config.php', 'wp-includes/version.php', '.maintenance'].map((path) =>
    join(root, path),
  );

/** Keeps the compiled files of WordPress for the next call, which then needs a third of the CPU time. */
const createPhpOptions = (folder: string) =>
  Object.entries({
    enable_cli: '1',
    file_cache: compiledFolder(folder),
    file_cache_only: '1',
    // Each call loads the files anew, so optimizing them does not pay.
    optimization_level: '0',
    revalidate_freq: '0',
    blacklist_filename: uncompiledPath(folder),
  }).flatMap(([name, value]) => ['-d', `opcache.${name}=${value}`]);

export const debugLogPath = (folder: string) => join(folder, 'debug.log');
const constantsPath = (folder: string) => join(folder, 'constants.json');
const compiledFolder = (folder: string) => join(folder, 'compiled');
const uncompiledPath = (folder: string) => join(folder, 'uncompiled.txt');
const settingsPath = (folder: string) => join(folder, 'bed.json');

/** Replaces the file atomically, because WordPress may read it at any time. */
async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(value, null, 2));
  await rename(`${path}.new`, path);
}

function createSecrets(): Constants {
  const names = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'];
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}_KEY`, randomBytes(32).toString('hex')],
      [`${name}_SALT`, randomBytes(32).toString('hex')],
    ]),
  );
}

/** Runs PHP with WordPress loaded, as for a request to the site's front page. */
export async function runPhp(
  site: Pick<SiteFolder, 'root' | 'folder'>,
  url: string,
  code: string,
  beforeWordPress = '',
): Promise<string> {
  try {
    const script = createScript(site, url, code, beforeWordPress);
    return await run('php', createPhpOptions(site.folder), { input: `<?php ${script}` });
  } catch (cause) {
    const log = await readFile(debugLogPath(site.folder), 'utf8');
    throw new Error(`PHP failed. The end of debug.log:\n${log.slice(-3000)}`, { cause });
  }
}

/** Returns PHP code that loads WordPress, as for a request to the site's front page, and then runs `code`. */
export function createScript(
  site: Pick<SiteFolder, 'root'>,
  url: string,
  code: string,
  beforeWordPress = '',
): string {
  const { host, hostname, port, pathname } = new URL(url);
  const server = {
    HTTP_HOST: host,
    SERVER_NAME: hostname,
    SERVER_PORT: port,
    SERVER_PROTOCOL: 'HTTP/1.1',
    REQUEST_METHOD: 'GET',
    REQUEST_URI: pathname,
    REMOTE_ADDR: '127.0.0.1',
  };
  return [
    `$_SERVER = array_merge( $_SERVER, json_decode( '${JSON.stringify(server)}', true ) );`,
    beforeWordPress,
    `require '${site.root}/wp-load.php';`,
    code,
  ].join('\n');
}
