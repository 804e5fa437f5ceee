import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Default: the folder of the Debian package. Set it to test another version of WordPress. */
export const WORDPRESS_FOLDER = process.env.WORDPRESS_FOLDER ?? '/usr/share/wordpress';
/** Chromium without its user interface: the same engine with a third less work. */
export const BROWSER = '/usr/bin/chromium-headless-shell';

/** Program and Debian package. */
export const PHPUNIT = 'phpunit';

/** Debian adds the PHP version to the program name. */
export const PHP_FPM = /^php-fpm\d+\.\d+$/;

export type SkipVariable = 'SKIP_WORDPRESS' | 'SKIP_BROWSER';

/** Software that the tests need on this machine, and its Debian package. */
export type Part = {
  name: string;
  package: string;
  /** Null: no variable skips the tests that need it. */
  skippedBy: SkipVariable | null;
};

/** The software found on this machine. */
export type InstalledParts = { files: string[]; programs: string[]; phpModules: string[] };

const WORDPRESS_VERSION_FILE = join(WORDPRESS_FOLDER, 'wp-includes/version.php');
const MARIADB_PROGRAMS = ['mariadbd', 'mariadb-install-db', 'mariadb', 'mariadb-dump'];
const PHP_MODULES = {
  mysqli: 'php-mysql',
  curl: 'php-curl',
  zip: 'php-zip',
  dom: 'php-xml',
  mbstring: 'php-mbstring',
  intl: 'php-intl',
};

export function detectParts(): InstalledParts {
  const { stdout } = spawnSync('php', ['-m'], { encoding: 'utf8' });
  return {
    files: [BROWSER, WORDPRESS_VERSION_FILE].filter((path) => existsSync(path)),
    programs: [
      ...['php', PHPUNIT, 'apt-get', 'nginx', 'pgbouncer', 'caddy', ...MARIADB_PROGRAMS].filter(
        isOnPath,
      ),
      ...(listPostgresFolders().length > 0 ? ['pg_basebackup'] : []),
      ...(findPrograms(PHP_FPM).length > 0 ? ['php-fpm'] : []),
    ],
    phpModules: (stdout ?? '').split('\n'),
  };
}

// /usr/sbin holds the daemons and is not in every user's PATH.
export const SEARCH_PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

function isOnPath(program: string): boolean {
  return SEARCH_PATH.split(':').some((folder) => existsSync(join(folder, program)));
}

/** Returns the paths of the programs whose name matches. */
export function findPrograms(pattern: RegExp): string[] {
  return SEARCH_PATH.split(':').flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => pattern.test(name))
          .map((name) => join(folder, name))
      : [],
  );
}

const POSTGRES_FOLDERS = '/usr/lib/postgresql';

/** Debian installs each version of PostgreSQL in its own folder, outside PATH. */
function listPostgresFolders(): string[] {
  if (!existsSync(POSTGRES_FOLDERS)) return [];
  return readdirSync(POSTGRES_FOLDERS)
    .map((version) => join(POSTGRES_FOLDERS, version, 'bin'))
    .filter((folder) => existsSync(join(folder, 'pg_basebackup')));
}

/** Returns the folder with the programs of a PostgreSQL server. */
export function findPostgresPrograms(): string {
  const folder = listPostgresFolders().at(-1);
  if (folder) return folder;
  throw new Error('PostgreSQL is not installed. Run npm run test:provide.');
}

export function findMissingParts(installed: InstalledParts, skipped: SkipVariable[]): Part[] {
  const required: (Part & { isInstalled: boolean })[] = [
    {
      name: `the browser ${BROWSER}`,
      package: 'chromium-headless-shell',
      skippedBy: 'SKIP_BROWSER',
      isInstalled: installed.files.includes(BROWSER),
    },
    {
      name: 'PgBouncer',
      package: 'pgbouncer',
      skippedBy: null,
      isInstalled: installed.programs.includes('pgbouncer'),
    },
    {
      name: 'Caddy',
      package: 'caddy',
      skippedBy: null,
      isInstalled: installed.programs.includes('caddy'),
    },
    {
      name: 'PostgreSQL with replication',
      package: 'postgresql',
      skippedBy: null,
      isInstalled: installed.programs.includes('pg_basebackup'),
    },
    {
      name: 'PHP',
      package: 'php-cli',
      skippedBy: 'SKIP_WORDPRESS',
      isInstalled: installed.programs.includes('php'),
    },
    {
      name: 'PHPUnit',
      package: PHPUNIT,
      skippedBy: 'SKIP_WORDPRESS',
      isInstalled: installed.programs.includes(PHPUNIT),
    },
    {
      name: 'PHP-FPM',
      package: 'php-fpm',
      skippedBy: 'SKIP_WORDPRESS',
      isInstalled: installed.programs.includes('php-fpm'),
    },
    {
      name: 'nginx',
      package: 'nginx-light',
      skippedBy: 'SKIP_WORDPRESS',
      isInstalled: installed.programs.includes('nginx'),
    },
    ...Object.entries(PHP_MODULES).map(([module, name]) => ({
      name: `PHP's ${module}`,
      package: name,
      skippedBy: 'SKIP_WORDPRESS' as const,
      isInstalled: installed.phpModules.includes(module),
    })),
    {
      name: 'MariaDB',
      package: 'mariadb-server',
      skippedBy: 'SKIP_WORDPRESS',
      isInstalled: MARIADB_PROGRAMS.every((program) => installed.programs.includes(program)),
    },
    {
      name: `WordPress in ${WORDPRESS_FOLDER}`,
      package: 'wordpress',
      skippedBy: 'SKIP_WORDPRESS',
      isInstalled: installed.files.includes(WORDPRESS_VERSION_FILE),
    },
  ];
  return required
    .filter(
      ({ isInstalled, skippedBy }) => !isInstalled && !(skippedBy && skipped.includes(skippedBy)),
    )
    .map(({ isInstalled, ...part }) => part);
}

/** Returns the missing software that only the Vitest tests skipped by this variable need. They do not use PHPUnit. */
export const findMissingPartsOf = (variable: SkipVariable): Part[] =>
  findMissingParts(detectParts(), []).filter(
    (part) => part.skippedBy === variable && part.package !== PHPUNIT,
  );

export function readSkipVariables(environment: Record<string, string | undefined>): SkipVariable[] {
  const variables: SkipVariable[] = ['SKIP_WORDPRESS', 'SKIP_BROWSER'];
  return variables.filter((name) => environment[name] === '1');
}
