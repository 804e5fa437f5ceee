import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';
import { WORDPRESS_FOLDER } from '../provide/parts.ts';
import { type Database, dumpDatabase } from './mariadb.ts';
import { writeTheme } from './packages.ts';
import { prepareSiteFolder, runPhp, writeConstants } from './site-folder.ts';

export const ADMIN = { user: 'admin', password: 'admin-password', email: 'admin@example.org' };
export const DEFAULT_THEME = { slug: 'plain', version: '1.0' };

const TEMPLATE_URL = 'http://127.0.0.1:1';

export const coreFolder = (bedFolder: string) => join(bedFolder, 'template/wordpress');
const dumpPath = (bedFolder: string) => join(bedFolder, 'template/dump.sql');

/** Installs WordPress once. Every site then copies its files and tables. */
export async function prepareTemplate(bedFolder: string, mariadb: Database): Promise<void> {
  const folder = join(bedFolder, 'template');
  const root = coreFolder(bedFolder);
  await mkdir(folder);
  await run('cp', ['-aL', WORDPRESS_FOLDER, root]);
  // Keep only WordPress: remove Debian's configuration and the plugins, themes and languages installed on
  // this machine.
  for (const name of ['.htaccess', 'wp-config.php', 'wp-content']) {
    await rm(join(root, name), { recursive: true, force: true });
  }
  await mkdir(join(root, 'wp-content/plugins'), { recursive: true });
  await writeTheme({ root }, DEFAULT_THEME.slug, DEFAULT_THEME.version);

  const database = 'template';
  await mariadb.query(`CREATE DATABASE ${database}`, 'mysql');
  const site = await prepareSiteFolder({ folder, root }, { socket: mariadb.socket, database });
  await writeConstants(site, {
    WP_HOME: TEMPLATE_URL,
    WP_SITEURL: TEMPLATE_URL,
    WP_DEFAULT_THEME: DEFAULT_THEME.slug,
  });
  await runPhp(
    site,
    TEMPLATE_URL,
    `require ABSPATH . 'wp-admin/includes/upgrade.php';
    wp_install( 'Test bed', '${ADMIN.user}', '${ADMIN.email}', true, '', '${ADMIN.password}' );`,
    `define( 'WP_INSTALLING', true );`,
  );
  await writeFile(dumpPath(bedFolder), await dumpDatabase(mariadb.socket, database));
}

/** Creates a database with a new WordPress installation at this URL. */
export async function cloneDatabase(
  bedFolder: string,
  mariadb: Database,
  { database, url, permalinks }: { database: string; url: string; permalinks: string },
): Promise<void> {
  const dump = await readFile(dumpPath(bedFolder), 'utf8');
  await mariadb.query(
    `CREATE DATABASE ${database}; USE ${database}; ${dump};
    UPDATE wp_options SET option_value = '${url}' WHERE option_name IN ('siteurl', 'home');
    UPDATE wp_options SET option_value = '${permalinks}' WHERE option_name = 'permalink_structure';
    DELETE FROM wp_options WHERE option_name = 'rewrite_rules';`,
    'mysql',
  );
}
