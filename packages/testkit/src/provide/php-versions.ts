import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { machine } from 'node:os';
import { join } from 'node:path';
import { run } from '../command.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Each Debian release has one PHP version. */
const DEBIAN_RELEASES: Record<string, string> = { '7.4': 'bullseye', '8.4': 'trixie' };
const PACKAGES = ['cli', 'fpm', 'mysql', 'curl', 'zip', 'xml', 'mbstring', 'intl'];
/** PHP and its libraries. Other dependencies are needed only for installing with apt. */
const UNPACKED_FILES = /^(php|lib|zlib).*\.deb$/;

/**
 * Unpacks a PHP version below `cache` and returns the folder with its `php` and `php-fpm<version>`. This PHP uses
 * the libraries of its own Debian release, including libc.
 */
export async function providePhp(version: string, cache: string): Promise<string> {
  const release = DEBIAN_RELEASES[version];
  if (!release) throw new Error(`PHP ${version} is not available.`);
  const folder = join(cache, `php-${version}`);
  const programs = join(folder, 'programs');
  // The programs are written last. If they are missing, the previous attempt was interrupted.
  if (existsSync(programs)) return programs;
  await rm(folder, { recursive: true, force: true });
  const root = join(folder, 'root');
  await unpack(version, release, join(folder, 'apt'), root);
  await configure(version, root, join(folder, 'settings'));
  await writePrograms(version, folder, programs);
  return programs;
}

/** Uses a separate, empty apt state, so that apt downloads all dependencies. */
async function unpack(version: string, release: string, apt: string, root: string): Promise<void> {
  const archives = join(apt, 'archives');
  for (const path of [join(apt, 'lists/partial'), join(archives, 'partial'), root]) {
    await mkdir(path, { recursive: true });
  }
  await writeFile(join(apt, 'status'), '');
  await writeFile(
    join(apt, 'sources.list'),
    `deb [signed-by=${KEYRING}] ${await findMirror()} ${release} main\n`,
  );
  const settings = {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': apt,
    'Dir::Cache::archives': archives,
    'APT::Install-Recommends': 'false',
    // Only root may take apt's lock. It is not needed, because no other apt uses these folders.
    'Debug::NoLocking': 'true',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const packages = PACKAGES.map((name) => `php${version}-${name}`);
  await run('apt-get', [...options, 'update']);
  await run('apt-get', [...options, 'install', '--yes', '--download-only', ...packages]);
  for (const file of (await readdir(archives)).filter((name) => UNPACKED_FILES.test(name))) {
    await run('dpkg-deb', ['--extract', join(archives, file), root]);
  }
  await rm(apt, { recursive: true });
}

/** Finds the Debian mirror of this machine. A mirror has all releases. */
async function findMirror(): Promise<string> {
  const targets = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)']);
  const mirror = targets.split('\n').find((address) => /\/debian\/?$/.test(address));
  if (!mirror) throw new Error('apt has no Debian mirror. Run apt-get update first.');
  return mirror;
}

/** Does the packages' post-install steps: writes php.ini and enables all extensions. */
async function configure(version: string, root: string, settings: string): Promise<void> {
  const library = join(root, 'usr/lib/php');
  // Compiled extensions are in a folder named after the date of PHP's API.
  const apiDate = (await readdir(library)).find((name) => /^\d{8}$/.test(name)) ?? '';
  const extensions = join(settings, 'extensions');
  for (const name of ['cli', 'fpm', 'extensions']) {
    await mkdir(join(settings, name), { recursive: true });
  }
  const production = join(library, version, 'php.ini-production');
  await copyFile(`${production}.cli`, join(settings, 'cli/php.ini'));
  await copyFile(production, join(settings, 'fpm/php.ini'));
  await writeFile(
    join(extensions, '00-folder.ini'),
    `extension_dir = "${join(library, apiDate)}"\n`,
  );
  const share = join(root, 'usr/share');
  for (const file of await readdir(share, { recursive: true })) {
    const [, name] = /^php\d.*\/(\w+\.ini)$/.exec(file) ?? [];
    if (!name) continue;
    const text = await readFile(join(share, file), 'utf8');
    // The priority sets the load order: an extension may depend on another.
    const priority = /^; priority=(\d+)/m.exec(text)?.[1] ?? '20';
    await writeFile(join(extensions, `${priority}-${name}`), text);
  }
}

async function writePrograms(version: string, folder: string, programs: string): Promise<void> {
  const root = join(folder, 'root');
  const libraries = ['lib', 'usr/lib']
    .map((path) => join(root, path, `${machine()}-linux-gnu`))
    .filter((path) => existsSync(path));
  const loader = await findLoader(libraries);
  const createScript = (sapi: string, program: string) => `#!/bin/sh
export PHPRC='${join(folder, 'settings', sapi)}'
export PHP_INI_SCAN_DIR='${join(folder, 'settings/extensions')}'
exec '${loader}' --library-path '${libraries.join(':')}' '${join(root, program)}' "$@"
`;
  const scripts = {
    php: createScript('cli', `usr/bin/php${version}`),
    [`php-fpm${version}`]: createScript('fpm', `usr/sbin/php-fpm${version}`),
  };
  const temporaryFolder = `${programs}.new`;
  await mkdir(temporaryFolder);
  for (const [name, text] of Object.entries(scripts)) {
    await writeFile(join(temporaryFolder, name), text, { mode: 0o755 });
  }
  await rename(temporaryFolder, programs);
}

/** Finds the dynamic loader, which starts programs with this libc. */
async function findLoader(libraries: string[]): Promise<string> {
  for (const folder of libraries) {
    const name = (await readdir(folder)).find((file) => /^ld-linux-.*\.so\.\d$/.test(file));
    if (name) return join(folder, name);
  }
  throw new Error(`No dynamic loader found in ${libraries.join(' or ')}.`);
}
