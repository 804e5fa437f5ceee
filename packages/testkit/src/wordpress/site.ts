import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../command.ts';
import { withCoreVersion } from './core-zip.ts';
import { coreVersion, installedPlugins, installedThemes } from './installed.ts';
import type { Database } from './mariadb.ts';
import { convertToNetwork } from './network.ts';
import { createOptions } from './options.ts';
import { keepServer, takeServer } from './reusable-servers.ts';
import {
  type Constants,
  changeSiteSettings,
  createScript,
  debugLogPath,
  type Offers,
  prepareSiteFolder,
  readSiteSettings,
  runPhp,
  type SiteFolder,
  type SiteSettings,
  writeConstants,
} from './site-folder.ts';
import { cloneDatabase, coreFolder, DEFAULT_THEME } from './template.ts';
import { updateTransients } from './update-transients.ts';
import { startWebServer } from './web-server.ts';

export type SiteOptions = {
  permalinks?: 'pretty' | 'plain';
  /** Creates a network in subdirectories with a second site. */
  multisite?: boolean;
  /** The path of WordPress below the web root, such as `/shop`. */
  path?: string;
  /** The number of PHP processes, and so of concurrent requests. */
  workers?: number;
  /** The user that runs PHP and owns the files. Default: the user that runs the tests. */
  user?: string;
  /** Lines for the nginx server block, such as a password or a redirect. */
  nginx?: string;
  /** PHP settings that differ from the defaults. */
  php?: Record<string, string>;
  /** A readable host name that resolves to 127.0.0.1. */
  host?: string;
  /** Default: any free port. */
  port?: number;
};

export type WordPressSite = Awaited<ReturnType<typeof createWordPressSite>>;

/**
 * Creates a WordPress with its own files, database and web server. `reusesServers`: a site without options takes over the
 * web server of a stopped one.
 */
export async function createWordPressSite(
  testBed: { folder: string; mariadb: Database; reusesServers?: boolean },
  siteOptions: SiteOptions = {},
) {
  const { permalinks = 'pretty', multisite = false, path = '', workers = 8 } = siteOptions;
  const { host = '127.0.0.1', port, user, nginx, php } = siteOptions;
  const id = randomBytes(5).toString('hex');
  const database = `site_${id}`;
  const isReusable =
    testBed.reusesServers === true &&
    Object.keys(siteOptions).every((name) => name === 'permalinks');
  const reused = isReusable ? await takeServer(testBed.folder) : undefined;
  const folder = reused?.folder ?? join(testBed.folder, 'sites', id);
  const documentRoot = join(folder, 'web');
  const root = join(documentRoot, path);
  const startServer = async () => {
    await mkdir(join(root, '..'), { recursive: true });
    await run('cp', ['-a', '--reflink=auto', coreFolder(testBed.folder), root]);
    return startWebServer({
      documentRoot,
      folder: serverFolder(folder),
      path,
      isMultisite: multisite,
      workers,
      port,
      user,
      nginx,
      php,
    });
  };
  const server = reused?.server ?? (await startServer());
  const origin = `http://127.0.0.1:${server.port}`;
  const url = `http://${host}:${server.port}${path}`;
  const site = await prepareSiteFolder(
    { folder, root },
    { socket: testBed.mariadb.socket, database },
  );
  site.constants = {
    ...site.constants,
    WP_HOME: url,
    WP_SITEURL: url,
    WP_DEFAULT_THEME: DEFAULT_THEME.slug,
  };
  await writeConstants(site, {});
  await cloneDatabase(testBed.folder, testBed.mariadb, {
    database,
    url,
    permalinks: permalinks === 'pretty' ? '/%postname%/' : '',
  });
  if (multisite) {
    site.constants = { ...site.constants, ...(await convertToNetwork(site, url, path)) };
  }

  const query = (sql: string) => testBed.mariadb.query(sql, database);
  const options = createOptions(query);
  /**
   * Call after changing files from outside, because opcache checks for changes only every few seconds. `keep`: a folder,
   * such as `/plugins/steward/`, whose unchanged files stay compiled. Use it only if no test copies older files there.
   */
  const clearOpcache = async ({ keep }: { keep?: string } = {}) => {
    const query = keep ? `?${new URLSearchParams({ keep })}` : '';
    await fetch(`${origin}/-/clear-opcache${query}`);
  };
  /** Call after writing files from outside: PHP may run as another user and could not change them. */
  const chownFiles = async () => {
    if (user) await run('chown', ['-R', `${user}:${user}`, folder]);
  };
  await chownFiles();
  if (reused) await clearOpcache();
  let isStopped = false;

  return {
    /** Without a trailing slash. */
    url,
    root,
    folder,
    database,
    query,
    ...options,
    ...createUpdateMethods(site, multisite ? options.setNetworkOption : options.setOption),
    ...createLogMethods(site),
    clearOpcache,
    chownFiles,
    /** Restarts nginx with these lines in its server block. */
    configureServer: server.configure,

    /** Replaces the constants of the previous call. Null removes a constant of the test bed. */
    setConstants: (constants: Constants) => writeConstants(site, constants),

    async activePlugins(): Promise<string[]> {
      return Object.values((await options.getOption('active_plugins')) ?? []).map(String);
    },
    setActivePlugins: (files: string[]) => options.setOption('active_plugins', files),

    /** Copies a plugin folder or unpacks a plugin zip into the site. */
    async unpackPlugin(folderOrZip: string): Promise<void> {
      const plugins = join(root, 'wp-content/plugins');
      if (folderOrZip.endsWith('.zip')) {
        await run('php', ['-r', UNZIP, folderOrZip, plugins]);
      } else {
        const target = join(plugins, basename(folderOrZip));
        await rm(target, { recursive: true, force: true });
        await cp(folderOrZip, target, { recursive: true });
      }
      await clearOpcache();
    },

    /** Changes the WordPress version of the site in version.php. */
    async setCoreVersion(version: string): Promise<void> {
      const file = join(root, 'wp-includes/version.php');
      await writeFile(file, withCoreVersion(await readFile(file, 'utf8'), version));
      await clearOpcache({ keep: '/wp-content/' });
    },

    /** Runs PHP with WordPress loaded and returns its output. */
    runPhp: (code: string) => runPhp(site, `${url}/`, code),

    /**
     * Like `runPhp`, but in the web server, where later requests use the compiled files. Call it only for a new site:
     * a test may change what the web server lets through.
     */
    async runPhpInServer(code: string): Promise<string> {
      // These sites limit what the web server runs, or who may call it.
      if (user || nginx || php) return runPhp(site, `${url}/`, code);
      const body = createScript(site, `${url}/`, code);
      const response = await fetch(`${origin}/-/run-php`, { method: 'POST', body });
      return response.text();
    },

    async stop(): Promise<void> {
      if (isStopped) return;
      isStopped = true;
      const isKept = isReusable && (await keepServer(testBed.folder, { folder, root, server }));
      if (!isKept) await server.stop();
      await testBed.mariadb.query(`DROP DATABASE IF EXISTS ${database}`, 'mysql');
      if (!isKept) await rm(folder, { recursive: true, force: true });
    },
  };
}

const serverFolder = (folder: string) => join(folder, 'server');

const UNZIP = `
$zip = new ZipArchive();
exit( true === $zip->open( $argv[1] ) && $zip->extractTo( $argv[2] ) ? 0 : 1 );`;

function createUpdateMethods(
  { folder, root }: SiteFolder,
  setOption: ReturnType<typeof createOptions>['setOption'],
) {
  return {
    /** Sets the updates that the site gets from its update checks. */
    async offer(offers: Partial<Offers>): Promise<void> {
      await changeSiteSettings(folder, {
        offers: { plugins: {}, themes: {}, core: null, ...offers },
      });
    },
    /** Changes `directory`, `fileChangesDisabled`, `updateMs` or `siteKeys`. They take effect at once. */
    changeSettings: (changes: Partial<Omit<SiteSettings, 'offers'>>) =>
      changeSiteSettings(folder, changes),

    /** Stores the transients that WordPress stores after an update check. */
    async storeUpdateTransients(): Promise<void> {
      const installed = {
        plugins: await installedPlugins(root),
        themes: await installedThemes(root),
        core: await coreVersion(root),
      };
      const { offers } = await readSiteSettings(folder);
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

function createLogMethods({ folder }: SiteFolder) {
  return {
    debugLog: () => readFile(debugLogPath(folder), 'utf8'),
    clearDebugLog: () => writeFile(debugLogPath(folder), ''),
    /** Reads PHP's own log: the errors before WordPress enables debug.log. PHP creates the file with the first error. */
    serverLog: () => readFile(join(serverFolder(folder), 'php.log'), 'utf8').catch(() => ''),
  };
}
