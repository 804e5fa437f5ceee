import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';

const WATCHDOG = join(import.meta.dirname, '../steward/watchdog');
const UNPRIVILEGED_UID = 65_534;
const RANDOM_FOLDER = /^steward-[0-9a-f]{32}$/;
const PRINT_FOLDER = 'echo Steward\\Watchdog\\State::folder();';

/** The constants of a site, without the rest of WordPress: maintenance mode has no more. */
function createSite() {
  const root = temporaryFolder();
  const content = join(root, 'wp-content');
  mkdirSync(content);
  cpSync(WATCHDOG, join(root, 'watchdog'), { recursive: true });
  chmodSync(root, 0o755);
  const load = `
    define( 'ABSPATH', '${root}/' ); define( 'WP_CONTENT_DIR', '${content}' ); define( 'AUTH_KEY', 'secret' );
    require '${root}/watchdog/load.php';`;
  const php = (
    code: string,
    { user, args = [] as string[] }: { user?: number; args?: string[] } = {},
  ) => {
    const { stdout, stderr } = spawnSync('php', [...args, '-r', load + code], {
      encoding: 'utf8',
      ...(user !== undefined && process.getuid?.() === 0 && { uid: user, gid: user }),
    });
    expect(stderr).toBe('');
    return stdout;
  };
  const computed = createHash('sha256').update(`secret${root}/`).digest('hex').slice(0, 16);
  return {
    content,
    load,
    php,
    nameFile: join(content, 'steward-state.php'),
    olderFolder: join(content, `steward-${computed}`),
    folder: () => php(PRINT_FOLDER),
    /** Runs code in the update guard, which knows no other file of Steward. The guard deletes itself, so it is copied. */
    guard(code: string) {
      cpSync(join(WATCHDOG, 'guard.php'), join(root, 'guard.php'));
      return php(`require '${root}/guard.php'; ${code}`);
    },
  };
}

describe('the name of the state folder', () => {
  it('is the same for all requests, and another one on a site with the same keys', () => {
    const [site, other] = [createSite(), createSite()];
    const folder = site.folder();
    expect(basename(folder)).toMatch(RANDOM_FOLDER);
    expect(site.folder()).toBe(folder);
    expect(basename(other.folder())).not.toBe(basename(folder));
    rmSync(site.nameFile);
    expect(site.folder()).not.toBe(folder);
  });

  it('is in a file that prints nothing', () => {
    const site = createSite();
    const name = basename(site.folder()).replace('steward-', '');
    expect(readdirSync(site.content)).toEqual(['steward-state.php']);
    expect(readFileSync(site.nameFile, 'utf8')).toContain(name);
    expect(spawnSync('php', [site.nameFile], { encoding: 'utf8' })).toMatchObject({
      stdout: '',
      stderr: '',
      status: 0,
    });
  });

  it('is the same for requests that create it at the same time', async () => {
    const site = createSite();
    const start = join(site.content, 'start');
    const wait = `while ( ! file_exists( '${start}' ) ) { clearstatcache(); usleep( 100 ); }`;
    const requests = Array.from({ length: 12 }, () =>
      spawn('php', ['-r', `${site.load} echo '.'; ${wait} ${PRINT_FOLDER}`]),
    );
    await Promise.all(requests.map(({ stdout }) => once(stdout, 'readable')));
    writeFileSync(start, '');
    const folders = await Promise.all(requests.map(({ stdout }) => text(stdout)));
    expect(new Set(folders)).toEqual(new Set([`.${site.folder()}`]));
    expect(readdirSync(site.content)).toEqual(['start', 'steward-state.php']);
  });

  for (const [host, args] of [
    ['with link()', []],
    ['that disables link()', ['-d', 'disable_functions=link']],
  ] as const) {
    it(`does not replace a name that another request has stored meanwhile, on a host ${host}`, () => {
      const site = createSite();
      const folder = site.folder();
      // This request has found no name before the other one stored it.
      const store = `
        $store = static fn () => self::store( str_repeat( 'b', 32 ) );
        echo 'steward-' . Closure::bind( $store, null, 'Steward\\Watchdog\\State_Name' )();`;
      expect(site.php(store, { args: [...args] })).toBe(basename(folder));
      expect(site.folder()).toBe(folder);
      expect(readdirSync(site.content)).toEqual(['steward-state.php']);
    });
  }

  it('is stored on a host that disables link()', () => {
    const site = createSite();
    const folder = site.php(PRINT_FOLDER, { args: ['-d', 'disable_functions=link'] });
    expect(site.folder()).toBe(folder);
  });

  for (const [what, damage] of [
    ['deleted', (file: string) => rmSync(file)],
    ['emptied', (file: string) => writeFileSync(file, '')],
  ] as const) {
    it(`is found again by the folder that was used last when its file was ${what}`, () => {
      const site = createSite();
      const folder = site.folder();
      mkdirSync(folder);
      const older = join(site.content, `steward-${'0'.repeat(32)}`);
      mkdirSync(older);
      utimesSync(older, 1, 1);
      damage(site.nameFile);
      expect(site.guard("echo Steward\\Guard\\file( 'lock' );")).toBe(`${folder}/lock`);
      expect(site.folder()).toBe(folder);
      expect(readFileSync(site.nameFile, 'utf8')).toContain(basename(folder).slice(8));
    });
  }

  it('does not change within a request that cannot store it', () => {
    const site = createSite();
    const printed = site.php(`${PRINT_FOLDER} echo ' '; ${PRINT_FOLDER}`, {
      user: UNPRIVILEGED_UID,
    });
    const [first, second] = printed.split(' ');
    expect(basename(first ?? '')).toMatch(RANDOM_FOLDER);
    expect(second).toBe(first);
  });

  it('is the computed one while the folder of an older version exists', () => {
    const site = createSite();
    mkdirSync(site.olderFolder);
    expect(site.folder()).toBe(site.olderFolder);
    expect(existsSync(site.nameFile)).toBe(false);
    expect(site.guard("echo Steward\\Guard\\file( 'lock' );")).toBe(`${site.olderFolder}/lock`);
  });
});

describe('data files', () => {
  const WRITE = "Steward\\Watchdog\\State::write( 'own-failed.json', [ 'version' => '1.0' ] );";
  const READ = "echo json_encode( Steward\\Watchdog\\State::read( 'own-failed.json' ) );";

  it('print nothing, and are shared with the update guard', () => {
    const site = createSite();
    const file = join(site.folder(), 'own-failed.php');
    mkdirSync(site.folder());
    site.php(WRITE);
    expect(spawnSync('php', [file], { encoding: 'utf8' }).stdout).toBe('');
    expect(site.php(READ)).toBe('{"version":"1.0"}');
    expect(site.guard("echo json_encode( Steward\\Guard\\read( 'own-failed.json' ) );")).toBe(
      '{"version":"1.0"}',
    );
    site.guard("Steward\\Guard\\write( 'own-failed.json', [ 'version' => '2.0' ] );");
    expect(spawnSync('php', [file], { encoding: 'utf8' }).stdout).toBe('');
    expect(site.php(READ)).toBe('{"version":"2.0"}');
  });

  it('are plain JSON in the folder of an older version, which reads them', () => {
    const site = createSite();
    mkdirSync(site.olderFolder);
    site.php(WRITE);
    const file = join(site.olderFolder, 'own-failed.json');
    expect(readFileSync(file, 'utf8')).toBe('{"version":"1.0"}');
    site.guard("Steward\\Guard\\write( 'own-failed.json', [ 'version' => '2.0' ] );");
    expect(readFileSync(file, 'utf8')).toBe('{"version":"2.0"}');
    expect(site.php(READ)).toBe('{"version":"2.0"}');
  });
});
