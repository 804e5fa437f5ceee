/**
 * `npm run test:wordpress-versions`: tests the Steward plugin on versions of WordPress and PHP that are not installed.
 * Downloads them on demand.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../command.ts';
import { WORDPRESS_FOLDER } from './parts.ts';
import { providePhp } from './php-versions.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const CACHE = join(ROOT, 'node_modules/.cache/steward');
/** WordPress zips from the WordPress Playground project. */
const BUILDS = '@wp-playground/wordpress-builds@0.9.19';
/** Each entry is a WordPress version, a PHP version, or both joined by `+`. A version that is left out is the installed one. */
const VERSIONS = ['6.2', '6.5', 'nightly', 'php7.4', 'php8.4'];
/** The tests that run on another WordPress version. If only PHP differs, all tests of the plugin run. */
const WORDPRESS_TESTS = [
  'conformance',
  'conformance-extensions',
  'conformance-signed',
  'broken-pages',
  'packages',
  'activation',
  'interrupted',
  'self-update',
  'self-update-faults',
  'no-loopback',
  'blocked-calls',
  'single-items',
  'unusual-items',
  'translation-update',
];

const UNZIP =
  '$zip = new ZipArchive(); exit( true === $zip->open( $argv[1] ) && $zip->extractTo( $argv[2] ) ? 0 : 1 );';

const requested = process.argv.slice(2);
const failed: string[] = [];
for (const versions of requested.length > 0 ? requested : VERSIONS) {
  const env = { ...process.env };
  for (const version of versions.split('+')) {
    if (version.startsWith('php')) {
      // The tests use the first PHP in PATH.
      env.PATH = `${await providePhp(version.slice('php'.length), CACHE)}:${env.PATH}`;
    } else {
      env.WORDPRESS_FOLDER = await provideWordPress(version);
    }
  }
  const name = await readVersions(env);
  process.stdout.write(`${name}\n`);
  const tests = env.WORDPRESS_FOLDER ? WORDPRESS_TESTS : await listPluginTests();
  const files = tests.map((test) => `wordpress/test/${test}.test.ts`);
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'wordpress', ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env,
  });
  if (status !== 0) failed.push(name);
  // PHPUnit uses no site, so it runs on the installed WordPress only.
  if (!env.WORDPRESS_FOLDER && !passesPhpUnit(env)) failed.push(`PHPUnit on ${name}`);
}
process.stdout.write(failed.length > 0 ? `Failed: ${failed.join(', ')}\n` : 'All passed.\n');
process.exitCode = failed.length > 0 ? 1 : 0;

function passesPhpUnit(env: NodeJS.ProcessEnv): boolean {
  const script = join(ROOT, 'wordpress/scripts/test-php.ts');
  return spawnSync(process.execPath, [script], { stdio: 'inherit', env }).status === 0;
}

/** Excludes the demo: PHP 7.4 comes from an older Debian, whose curl cannot resolve the .localhost hosts of the demo. */
async function listPluginTests(): Promise<string[]> {
  const names = (await readdir(join(ROOT, 'wordpress/test'))).filter((name) =>
    name.endsWith('.test.ts'),
  );
  return names.map((name) => basename(name, '.test.ts')).filter((name) => name !== 'demo');
}

async function readVersions(env: NodeJS.ProcessEnv): Promise<string> {
  const file = versionFile(env.WORDPRESS_FOLDER ?? WORDPRESS_FOLDER);
  const wordpress = /\$wp_version = '([^']+)'/.exec(await readFile(file, 'utf8'))?.[1];
  const php = await run('php', ['-r', 'echo PHP_VERSION;'], { env: { PATH: env.PATH ?? '' } });
  return `WordPress ${wordpress} on PHP ${php}`;
}

/** Unpacks a WordPress version and returns its folder. */
async function provideWordPress(version: string): Promise<string> {
  const folder = join(CACHE, `wordpress-${version}`);
  if (existsSync(versionFile(folder))) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const zip = join(await downloadBuilds(), `src/wordpress/wp-${version}.zip`);
  if (!existsSync(zip)) throw new Error(`${BUILDS} has no WordPress ${version}.`);
  await run('php', ['-r', UNZIP, zip, folder]);
  // version.php of these builds has all assignments on one line; the tests expect one per line.
  const lines = (await readFile(versionFile(folder), 'utf8')).replace(/(^|;)[ \t]*\$/gm, '$1\n$$');
  await writeFile(versionFile(folder), lines);
  return folder;
}

async function downloadBuilds(): Promise<string> {
  const folder = join(CACHE, 'wordpress-builds');
  if (existsSync(join(folder, 'package'))) return join(folder, 'package');
  await mkdir(folder, { recursive: true });
  const [packed] = JSON.parse(
    await run('npm', ['pack', BUILDS, '--json', '--pack-destination', folder]),
  );
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
  return join(folder, 'package');
}

function versionFile(folder: string): string {
  return join(folder, 'wp-includes/version.php');
}
