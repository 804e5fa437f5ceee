import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../command.ts';
import { withCoreVersion } from './core-zip.ts';
import { coreVersion, installedPlugins, installedThemes } from './installed.ts';
import type { Database } from './mariadb.ts';
import { turnIntoNetwork } from './network.ts';
import { createOptions } from './options.ts';
import {
  type BedSettings,
  type Constants,
  changeBed,
  debugLogOf,
  type Offers,
  prepareSiteFolder,
  readBed,
  runPhp,
  type SiteFolder,
  writeConstants,
} from './site-folder.ts';
import { cloneDatabase, coreOf, DEFAULT_THEME } from './template.ts';
import { updateTransients } from './update-transients.ts';
import { startWebServer } from './web-server.ts';

export type SiteOptions = {
  permalinks?: 'pretty' | 'plain';
  /** A network in subdirectories, with a second site. */
  multisite?: boolean;
  /** Where WordPress is below the web root, such as `/shop`. */
  path?: string;
  /** Processes of PHP, which is as many requests at once. */
  workers?: number;
  /** Who runs PHP, and owns the files; left out: the user who runs the tests. */
  user?: string;
  /** Lines for the server block of nginx, such as a password or a redirect. */
  nginx?: string;
  /** Settings of PHP other than its own defaults. */
  php?: Record<string, string>;
  /** A name that leads to 127.0.0.1, for who is to read it. */
  host?: string;
  /** Left out: any that is free. */
  port?: number;
};

export type WordPressSite = Awaited<ReturnType<typeof createWordPressSite>>;

/** A WordPress with its own files, database and web server. */
export async function createWordPressSite(
  bed: { folder: string; mariadb: Database },
  wanted: SiteOptions = {},
) {
  const { permalinks = 'pretty', multisite = false, path = '', workers = 8 } = wanted;
  const { host = '127.0.0.1', port, user, nginx, php } = wanted;
  const id = randomBytes(5).toString('hex');
  const database = `site_${id}`;
  const folder = join(bed.folder, 'sites', id);
  const documentRoot = join(folder, 'web');
  const root = join(documentRoot, path);
  await mkdir(join(root, '..'), { recursive: true });
  await run('cp', ['-a', '--reflink=auto', coreOf(bed.folder), root]);

  const server = await startWebServer({
    documentRoot,
    folder: serverFolderOf(folder),
    path,
    isNetwork: multisite,
    workers,
    port,
    user,
    nginx,
    php,
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const url = `http://${host}:${server.port}${path}`;
  const site = await prepareSiteFolder({ folder, root }, { socket: bed.mariadb.socket, database });
  site.constants = {
    ...site.constants,
    WP_HOME: url,
    WP_SITEURL: url,
    WP_DEFAULT_THEME: DEFAULT_THEME.slug,
  };
  await writeConstants(site, {});
  await cloneDatabase(bed.folder, bed.mariadb, {
    database,
    url,
    permalinks: permalinks === 'pretty' ? '/%postname%/' : '',
  });
  if (multisite) {
    site.constants = { ...site.constants, ...(await turnIntoNetwork(site, url, path)) };
  }

  const query = (sql: string) => bed.mariadb.query(sql, database);
  const options = createOptions(query);
  /** To be called after files were changed from outside: opcache looks again only after seconds. */
  const forgetCompiledFiles = async () => {
    await fetch(`${origin}/-/forget-compiled-files`);
  };
  /** After files were written from outside: PHP may not be ours to change them. */
  const handOver = async () => {
    if (user) await run('chown', ['-R', `${user}:${user}`, folder]);
  };
  await handOver();

  return {
    /** Without a slash at the end. */
    url,
    root,
    folder,
    database,
    query,
    ...options,
    ...updatesOf(site, multisite ? options.setNetworkOption : options.setOption),
    ...logOf(site),
    forgetCompiledFiles,
    handOver,
    /** Starts nginx anew with these lines in its server block. */
    configureServer: server.configure,

    /** Takes the place of what was set before; null takes away a constant the bed has set. */
    setConstants: (constants: Constants) => writeConstants(site, constants),

    async activePlugins(): Promise<string[]> {
      return Object.values((await options.getOption('active_plugins')) ?? []).map(String);
    },
    setActivePlugins: (files: string[]) => options.setOption('active_plugins', files),

    /** Copies a plugin's folder, or unpacks its zip, into the site. */
    async unpackPlugin(folderOrZip: string): Promise<void> {
      const plugins = join(root, 'wp-content/plugins');
      if (folderOrZip.endsWith('.zip')) {
        await run('php', ['-r', UNZIP, folderOrZip, plugins]);
      } else {
        const target = join(plugins, basename(folderOrZip));
        await rm(target, { recursive: true, force: true });
        await cp(folderOrZip, target, { recursive: true });
      }
      await forgetCompiledFiles();
    },

    /** Makes the site say, and believe, that it has another version. */
    async setCoreVersion(version: string): Promise<void> {
      const file = join(root, 'wp-includes/version.php');
      await writeFile(file, withCoreVersion(await readFile(file, 'utf8'), version));
      await forgetCompiledFiles();
    },

    /** Runs PHP with WordPress loaded and gives what it printed. */
    runPhp: (code: string) => runPhp(site, `${url}/`, code),

    async stop(): Promise<void> {
      await server.stop();
      await bed.mariadb.query(`DROP DATABASE IF EXISTS ${database}`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const serverFolderOf = (folder: string) => join(folder, 'server');

const UNZIP = `
$zip = new ZipArchive();
exit( true === $zip->open( $argv[1] ) && $zip->extractTo( $argv[2] ) ? 0 : 1 );`;

function updatesOf(
  { folder, root }: SiteFolder,
  setOption: ReturnType<typeof createOptions>['setOption'],
) {
  return {
    /** What the site is told when it asks for updates. */
    async offer(offers: Partial<Offers>): Promise<void> {
      await changeBed(folder, { offers: { plugins: {}, themes: {}, core: null, ...offers } });
    },
    behave: (change: Partial<Omit<BedSettings, 'offers'>>) => changeBed(folder, change),

    /** Stores what WordPress would have stored, had it just asked for updates. */
    async storeUpdateTransients(): Promise<void> {
      const installed = {
        plugins: await installedPlugins(root),
        themes: await installedThemes(root),
        core: await coreVersion(root),
      };
      const { offers } = await readBed(folder);
      const transients = updateTransients(offers, installed, Math.floor(Date.now() / 1000));
      for (const [name, value] of Object.entries(transients)) {
        await setOption(`_site_transient_${name}`, value);
      }
    },
    installedPlugins: () => installedPlugins(root),
    installedThemes: () => installedThemes(root),
    coreVersion: () => coreVersion(root),
  };
}

function logOf({ folder }: SiteFolder) {
  return {
    debugLog: () => readFile(debugLogOf(folder), 'utf8'),
    clearDebugLog: () => writeFile(debugLogOf(folder), ''),
    /** What PHP has logged before WordPress knew of its debug.log. */
    serverLog: () => readFile(join(serverFolderOf(folder), 'php.log'), 'utf8'),
  };
}
