import { describe, expect, it } from 'vitest';
import { findMissingParts, type InstalledParts, readSkipVariables } from './parts.ts';
import { createPlan, type Machine } from './provide-plan.ts';

const COMPLETE: InstalledParts = {
  files: ['/usr/bin/chromium-headless-shell', '/usr/share/wordpress/wp-includes/version.php'],
  programs: [
    'php',
    'phpunit',
    'php-fpm',
    'nginx',
    'apt-get',
    'pgbouncer',
    'caddy',
    'pg_basebackup',
    'mariadbd',
    'mariadb-install-db',
    'mariadb',
    'mariadb-dump',
  ],
  phpModules: ['mysqli', 'curl', 'zip', 'dom', 'mbstring', 'intl'],
};
const EMPTY: InstalledParts = { files: [], programs: [], phpModules: [] };
const DEBIAN: Machine = {
  osRelease: 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
  isRoot: true,
  hasApt: true,
};
const missingPackages = (installed: InstalledParts) =>
  findMissingParts(installed, []).map((part) => part.package);

describe('findMissingParts', () => {
  it('returns nothing on a complete machine', () => {
    expect(findMissingParts(COMPLETE, [])).toEqual([]);
  });

  it('returns everything on an empty machine', () => {
    expect(missingPackages(EMPTY)).toEqual([
      'chromium-headless-shell',
      'pgbouncer',
      'caddy',
      'postgresql',
      'php-cli',
      'phpunit',
      'php-fpm',
      'nginx-light',
      'php-mysql',
      'php-curl',
      'php-zip',
      'php-xml',
      'php-mbstring',
      'php-intl',
      'mariadb-server',
      'wordpress',
    ]);
  });

  it('returns the package of a missing PHP module', () => {
    const phpModules = COMPLETE.phpModules.filter((name) => name !== 'dom');
    expect(missingPackages({ ...COMPLETE, phpModules })).toEqual(['php-xml']);
  });

  it('returns MariaDB when only its client is installed', () => {
    expect(
      missingPackages({
        ...COMPLETE,
        programs: COMPLETE.programs.filter((name) => !/^mariadb(?:d|-install-db)$/.test(name)),
      }),
    ).toEqual(['mariadb-server']);
  });

  it('omits parts that a variable skips', () => {
    expect(findMissingParts(EMPTY, ['SKIP_WORDPRESS']).map((part) => part.package)).toEqual([
      'chromium-headless-shell',
      'pgbouncer',
      'caddy',
      'postgresql',
    ]);
    expect(
      findMissingParts(EMPTY, ['SKIP_WORDPRESS', 'SKIP_BROWSER']).map((part) => part.package),
    ).toEqual(['pgbouncer', 'caddy', 'postgresql']);
  });
});

describe('readSkipVariables', () => {
  it('counts a variable only if it is 1', () => {
    expect(readSkipVariables({ SKIP_WORDPRESS: '1', SKIP_BROWSER: '0' })).toEqual([
      'SKIP_WORDPRESS',
    ]);
    expect(readSkipVariables({})).toEqual([]);
  });
});

describe('createPlan', () => {
  const missing = findMissingParts({ ...COMPLETE, files: [] }, []);

  it('continues when nothing is missing', () => {
    expect(createPlan([], DEBIAN)).toEqual({ step: 'continue' });
  });

  for (const [system, osRelease] of [
    ['Debian', DEBIAN.osRelease],
    ['a Debian derivative', 'ID=ubuntu\nID_LIKE="debian"\n'],
  ] as const) {
    it(`installs the missing packages as root on ${system}`, () => {
      expect(createPlan(missing, { ...DEBIAN, osRelease })).toEqual({
        step: 'install',
        packages: ['chromium-headless-shell', 'wordpress'],
      });
    });
  }

  for (const [reason, machine] of [
    ['the user is not root', { ...DEBIAN, isRoot: false }],
    ['there is no apt-get', { ...DEBIAN, hasApt: false }],
    ['the system is not Debian', { ...DEBIAN, osRelease: 'ID=alpine\n' }],
  ] as const) {
    it(`fails with instructions when ${reason}`, () => {
      const plan = createPlan(missing, machine);
      expect(plan.step === 'fail' && plan.message.split('\n')).toEqual([
        'The tests need software that is not installed: the browser /usr/bin/chromium-headless-shell, WordPress in /usr/share/wordpress.',
        'On Debian, run as root:',
        '  apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell wordpress',
        'Or skip these tests:',
        expect.stringContaining('SKIP_BROWSER=1'),
        expect.stringContaining('SKIP_WORDPRESS=1'),
      ]);
    });
  }

  it('suggests only skip variables for missing parts', () => {
    const browser = findMissingParts({ ...COMPLETE, files: COMPLETE.files.slice(1) }, []);
    expect(createPlan(browser, { ...DEBIAN, isRoot: false })).toEqual({
      step: 'fail',
      message: expect.not.stringContaining('SKIP_WORDPRESS'),
    });
  });
});
