import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';

export type Constants = Record<string, string | number | boolean | null>;

/** What of a site is not on the web: its settings, its log. */
export type SiteFolder = {
  folder: string;
  /** Where WordPress is; its ABSPATH. */
  root: string;
  constants: Constants;
};

export type Offer = { version: string; package: string };
export type Offers = {
  plugins: Record<string, Offer>;
  themes: Record<string, Offer>;
  core: Offer | null;
};
export type BedSettings = {
  offers: Offers;
  fileChangesDisabled: boolean;
  updateMs: number;
  /** Whether the plugin asks for a key of its own. Otherwise it is as plain as the specification. */
  siteKeys: boolean;
};

const FRESH_BED: BedSettings = {
  offers: { plugins: {}, themes: {}, core: null },
  fileChangesDisabled: false,
  updateMs: 0,
  siteKeys: false,
};

/** Configures the WordPress in `root`, which talks to nobody but MariaDB and loopback. */
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
    WP_DEBUG_LOG: debugLogOf(folder),
    WP_DEBUG_DISPLAY: false,
    DISABLE_WP_CRON: true,
    AUTOMATIC_UPDATER_DISABLED: true,
    FS_METHOD: 'direct',
    TEST_BED_FILE: bedFileOf(folder),
    ...secrets(),
  };
  const muPlugins = join(root, 'wp-content/mu-plugins');
  const config = await readFile(join(import.meta.dirname, 'wp-config.php'), 'utf8');
  await mkdir(muPlugins, { recursive: true });
  await writeFile(
    join(root, 'wp-config.php'),
    config.replace('{{constants file}}', constantsFileOf(folder)),
  );
  await copyFile(join(import.meta.dirname, 'mu-plugin.php'), join(muPlugins, 'test-bed.php'));
  await writeFile(debugLogOf(folder), '');
  const site = { folder, root, constants };
  await writeConstants(site, {});
  await writeJson(bedFileOf(folder), FRESH_BED);
  return site;
}

/** A constant that is null is left out. */
export async function writeConstants(site: SiteFolder, more: Constants): Promise<void> {
  const all = Object.entries({ ...site.constants, ...more });
  const defined = all.filter(([, value]) => value !== null);
  await writeJson(constantsFileOf(site.folder), Object.fromEntries(defined));
}

export async function readBed(folder: string): Promise<BedSettings> {
  return JSON.parse(await readFile(bedFileOf(folder), 'utf8'));
}

export async function changeBed(folder: string, change: Partial<BedSettings>): Promise<void> {
  await writeJson(bedFileOf(folder), { ...(await readBed(folder)), ...change });
}

export const debugLogOf = (folder: string) => join(folder, 'debug.log');
const constantsFileOf = (folder: string) => join(folder, 'constants.json');
const bedFileOf = (folder: string) => join(folder, 'bed.json');

/** Put in place at once: WordPress reads it at any time. */
async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(value, null, 2));
  await rename(`${path}.new`, path);
}

function secrets(): Constants {
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
  const script = [
    `<?php $_SERVER = array_merge( $_SERVER, json_decode( '${JSON.stringify(server)}', true ) );`,
    beforeWordPress,
    `require '${site.root}/wp-load.php';`,
    code,
  ];
  try {
    return await run('php', [], { input: script.join('\n') });
  } catch (cause) {
    const log = await readFile(debugLogOf(site.folder), 'utf8');
    throw new Error(`The PHP failed. The end of debug.log:\n${log.slice(-3000)}`, { cause });
  }
}
