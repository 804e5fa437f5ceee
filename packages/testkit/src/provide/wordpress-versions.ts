/**
 * `npm run test:wordpress-versions`: the tests of the plugin on other versions of WordPress than
 * Debian's, which are fetched on demand.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const CACHE = join(ROOT, 'node_modules/.cache/steward');
/** WordPress as zips, from the makers of WordPress Playground. */
const BUILDS = '@wp-playground/wordpress-builds@0.9.19';
const VERSIONS = ['6.2', '6.5', 'nightly'];
const TESTS = [
  'conformance',
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
for (const version of chosen.length > 0 ? chosen : VERSIONS) {
  const folder = await provide(version);
  const real = /\$wp_version = '([^']+)'/.exec(await readFile(versionFileOf(folder), 'utf8'))?.[1];
  process.stdout.write(`WordPress ${real}\n`);
  const files = TESTS.map((name) => `wordpress/test/${name}.test.ts`);
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'wordpress', ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, WORDPRESS_FOLDER: folder },
  });
  if (status !== 0) failed.push(`WordPress ${real}`);
}
process.stdout.write(failed.length > 0 ? `Failed: ${failed.join(', ')}\n` : 'All passed.\n');
process.exitCode = failed.length > 0 ? 1 : 0;

/** The folder of a WordPress. */
async function provide(version: string): Promise<string> {
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
