/**
 * `npm run test:wordpress-versions`: the tests of the plugin on other versions of WordPress and PHP
 * than the installed ones. They are fetched on demand.
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
/** WordPress as zips, from the makers of WordPress Playground. */
const BUILDS = '@wp-playground/wordpress-builds@0.9.19';
/** A WordPress, a PHP, or both; the part that is left out is the installed one. */
const VERSIONS = ['6.2', '6.5', 'nightly', 'php7.4', 'php8.4'];
/** What runs on another WordPress; another PHP alone gets all tests of the plugin. */
const TESTS_OF_UPDATES = [
  'conformance',
  'conformance-signed',
  'pages-that-break',
  'packages',
  'activation',
  'interrupted',
  'cannot-call-itself',
  'why-not',
];

const UNZIP =
  '$zip = new ZipArchive(); exit( true === $zip->open( $argv[1] ) && $zip->extractTo( $argv[2] ) ? 0 : 1 );';

const chosen = process.argv.slice(2);
const failed: string[] = [];
for (const versions of chosen.length > 0 ? chosen : VERSIONS) {
  const env = { ...process.env };
  for (const version of versions.split('+')) {
    if (version.startsWith('php')) {
      // The tests take the first PHP that they find.
      env.PATH = `${await providePhp(version.slice('php'.length), CACHE)}:${env.PATH}`;
    } else {
      env.WORDPRESS_FOLDER = await provideWordPress(version);
    }
  }
  const name = await realVersions(env);
  process.stdout.write(`${name}\n`);
  const tests = env.WORDPRESS_FOLDER ? TESTS_OF_UPDATES : await testsOfPlugin();
  const files = tests.map((test) => `wordpress/test/${test}.test.ts`);
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'wordpress', ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env,
  });
  if (status !== 0) failed.push(name);
}
process.stdout.write(failed.length > 0 ? `Failed: ${failed.join(', ')}\n` : 'All passed.\n');
process.exitCode = failed.length > 0 ? 1 : 0;

/** Not the demo: its sites are below .localhost, which the curl of PHP 7.4's Debian cannot resolve. */
async function testsOfPlugin(): Promise<string[]> {
  const names = (await readdir(join(ROOT, 'wordpress/test'))).filter((name) =>
    name.endsWith('.test.ts'),
  );
  return names.map((name) => basename(name, '.test.ts')).filter((name) => name !== 'demo');
}

async function realVersions(env: NodeJS.ProcessEnv): Promise<string> {
  const versionFile = versionFileOf(env.WORDPRESS_FOLDER ?? WORDPRESS_FOLDER);
  const wordpress = /\$wp_version = '([^']+)'/.exec(await readFile(versionFile, 'utf8'))?.[1];
  const php = await run('php', ['-r', 'echo PHP_VERSION;'], { env: { PATH: env.PATH ?? '' } });
  return `WordPress ${wordpress} on PHP ${php}`;
}

/** The folder of a WordPress. */
async function provideWordPress(version: string): Promise<string> {
  const folder = join(CACHE, `wordpress-${version}`);
  if (existsSync(versionFileOf(folder))) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const zip = join(await builds(), `src/wordpress/wp-${version}.zip`);
  if (!existsSync(zip)) throw new Error(`${BUILDS} has no WordPress ${version}.`);
  await run('php', ['-r', UNZIP, zip, folder]);
  // Its versions stand on one line there, and tests change them.
  const lines = (await readFile(versionFileOf(folder), 'utf8')).replace(
    /(^|;)[ \t]*\$/gm,
    '$1\n$$',
  );
  await writeFile(versionFileOf(folder), lines);
  return folder;
}

async function builds(): Promise<string> {
  const folder = join(CACHE, 'wordpress-builds');
  if (existsSync(join(folder, 'package'))) return join(folder, 'package');
  await mkdir(folder, { recursive: true });
  const [packed] = JSON.parse(
    await run('npm', ['pack', BUILDS, '--json', '--pack-destination', folder]),
  );
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
  return join(folder, 'package');
}

function versionFileOf(folder: string): string {
  return join(folder, 'wp-includes/version.php');
}
