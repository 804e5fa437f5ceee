import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's, unless the tests run on another version. */
export const WORDPRESS_FOLDER = process.env.WORDPRESS_FOLDER ?? '/usr/share/wordpress';
export const BROWSER = '/usr/bin/chromium';

/** Debian's name for it has the version of PHP. */
export const PHP_FPM = /^php-fpm\d+\.\d+$/;

export type SkipVariable = 'SKIP_WORDPRESS' | 'SKIP_BROWSER';

/** What the tests need of the machine, with the Debian package that brings it. */
export type Part = { what: string; package: string; skippedBy: SkipVariable };

/** What is there, as it was found. */
export type Present = { files: string[]; programs: string[]; phpModules: string[] };

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

export function lookAround(): Present {
  const { stdout } = spawnSync('php', ['-m'], { encoding: 'utf8' });
  return {
    files: [BROWSER, WORDPRESS_VERSION_FILE].filter((path) => existsSync(path)),
    programs: [
      ...['php', 'apt-get', 'nginx', ...MARIADB_PROGRAMS].filter(isOnPath),
      ...(programsLike(PHP_FPM).length > 0 ? ['php-fpm'] : []),
    ],
    phpModules: (stdout ?? '').split('\n'),
  };
}

// A daemon's folder is not on everybody's path.
export const SEARCH_PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

function isOnPath(program: string): boolean {
  return SEARCH_PATH.split(':').some((folder) => existsSync(join(folder, program)));
}

/** Their paths. */
export function programsLike(pattern: RegExp): string[] {
  return SEARCH_PATH.split(':').flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => pattern.test(name))
          .map((name) => join(folder, name))
      : [],
  );
}

export function missingParts(present: Present, skipped: SkipVariable[]): Part[] {
  const wanted: (Part & { isThere: boolean })[] = [
    {
      what: `the browser ${BROWSER}`,
      package: 'chromium',
      skippedBy: 'SKIP_BROWSER',
      isThere: present.files.includes(BROWSER),
    },
    {
      what: 'PHP',
      package: 'php-cli',
      skippedBy: 'SKIP_WORDPRESS',
      isThere: present.programs.includes('php'),
    },
    {
      what: 'PHP-FPM',
      package: 'php-fpm',
      skippedBy: 'SKIP_WORDPRESS',
      isThere: present.programs.includes('php-fpm'),
    },
    {
      what: 'nginx',
      package: 'nginx-light',
      skippedBy: 'SKIP_WORDPRESS',
      isThere: present.programs.includes('nginx'),
    },
    ...Object.entries(PHP_MODULES).map(([module, name]) => ({
      what: `PHP's ${module}`,
      package: name,
      skippedBy: 'SKIP_WORDPRESS' as const,
      isThere: present.phpModules.includes(module),
    })),
    {
      what: 'MariaDB',
      package: 'mariadb-server',
      skippedBy: 'SKIP_WORDPRESS',
      isThere: MARIADB_PROGRAMS.every((program) => present.programs.includes(program)),
    },
    {
      what: `WordPress in ${WORDPRESS_FOLDER}`,
      package: 'wordpress',
      skippedBy: 'SKIP_WORDPRESS',
      isThere: present.files.includes(WORDPRESS_VERSION_FILE),
    },
  ];
  return wanted
    .filter(({ isThere, skippedBy }) => !isThere && !skipped.includes(skippedBy))
    .map(({ isThere, ...part }) => part);
}

export function skippedParts(environment: Record<string, string | undefined>): SkipVariable[] {
  const variables: SkipVariable[] = ['SKIP_WORDPRESS', 'SKIP_BROWSER'];
  return variables.filter((name) => environment[name] === '1');
}
