import { describe, expect, it } from 'vitest';
import { missingParts, type Present, skippedParts } from './parts.ts';
import { type Machine, planFor } from './provide-plan.ts';

const COMPLETE: Present = {
  files: ['/usr/bin/chromium', '/usr/share/wordpress/wp-includes/version.php'],
  programs: [
    'php',
    'php-fpm',
    'nginx',
    'apt-get',
    'mariadbd',
    'mariadb-install-db',
    'mariadb',
    'mariadb-dump',
  ],
  phpModules: ['mysqli', 'curl', 'zip', 'dom', 'mbstring', 'intl'],
};
const EMPTY: Present = { files: [], programs: [], phpModules: [] };
const DEBIAN: Machine = {
  osRelease: 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
  isRoot: true,
  hasApt: true,
};
const packagesOf = (present: Present) => missingParts(present, []).map((part) => part.package);

describe('what is missing', () => {
  it('is nothing on a complete machine', () => {
    expect(missingParts(COMPLETE, [])).toEqual([]);
  });

  it('is everything on an empty one', () => {
    expect(packagesOf(EMPTY)).toEqual([
      'chromium',
      'php-cli',
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

  it('is the package of the one PHP module that is not there', () => {
    const phpModules = COMPLETE.phpModules.filter((name) => name !== 'dom');
    expect(packagesOf({ ...COMPLETE, phpModules })).toEqual(['php-xml']);
  });

  it('is MariaDB where there is only its client', () => {
    expect(
      packagesOf({ ...COMPLETE, programs: ['php', 'php-fpm', 'nginx', 'mariadb', 'mariadb-dump'] }),
    ).toEqual(['mariadb-server']);
  });

  it('is not what a variable leaves out', () => {
    expect(missingParts(EMPTY, ['SKIP_WORDPRESS']).map((part) => part.package)).toEqual([
      'chromium',
    ]);
    expect(missingParts(EMPTY, ['SKIP_WORDPRESS', 'SKIP_BROWSER'])).toEqual([]);
  });
});

describe('the variables that leave something out', () => {
  it('count only when they are 1', () => {
    expect(skippedParts({ SKIP_WORDPRESS: '1', SKIP_BROWSER: '0' })).toEqual(['SKIP_WORDPRESS']);
    expect(skippedParts({})).toEqual([]);
  });
});

describe('the plan', () => {
  const missing = missingParts({ ...COMPLETE, files: [] }, []);

  it('is to go on when nothing is missing', () => {
    expect(planFor([], DEBIAN)).toEqual({ step: 'go on' });
  });

  for (const [system, osRelease] of [
    ['Debian', DEBIAN.osRelease],
    ['a system like Debian', 'ID=ubuntu\nID_LIKE="debian"\n'],
  ] as const) {
    it(`is to install exactly what is missing, as root on ${system}`, () => {
      expect(planFor(missing, { ...DEBIAN, osRelease })).toEqual({
        step: 'install',
        packages: ['chromium', 'wordpress'],
      });
    });
  }

  for (const [reason, machine] of [
    ['nobody is root', { ...DEBIAN, isRoot: false }],
    ['there is no apt-get', { ...DEBIAN, hasApt: false }],
    ['it is not Debian', { ...DEBIAN, osRelease: 'ID=alpine\n' }],
  ] as const) {
    it(`is to give up and say how to help when ${reason}`, () => {
      const plan = planFor(missing, machine);
      expect(plan.step === 'give up' && plan.message.split('\n')).toEqual([
        'The tests need what is not here: the browser /usr/bin/chromium, WordPress in /usr/share/wordpress.',
        'On Debian, as root:',
        '  apt-get update && apt-get install -y --no-install-recommends chromium wordpress',
        'Or without them:',
        expect.stringContaining('SKIP_BROWSER=1'),
        expect.stringContaining('SKIP_WORDPRESS=1'),
      ]);
    });
  }

  it('names no way out that would not help', () => {
    const browser = missingParts({ ...COMPLETE, files: COMPLETE.files.slice(1) }, []);
    expect(planFor(browser, { ...DEBIAN, isRoot: false })).toEqual({
      step: 'give up',
      message: expect.not.stringContaining('SKIP_WORDPRESS'),
    });
  });
});
