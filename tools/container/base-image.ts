import { copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import type { Buildah } from './buildah.ts';

const RELEASE = 'bookworm';
/** The image removes these folders too. */
const UNUSED_FOLDERS = [
  'usr/share/doc',
  'usr/share/info',
  'usr/share/locale',
  'usr/share/man',
  'var/cache/apt',
  'var/lib/apt/lists',
];

/**
 * Creates a stand-in for the image of Node.js that the Dockerfile names, so that the check needs no image registry: a
 * small Debian with the Node.js of this project, npm and the user `node` (1000).
 */
export async function createBaseImage(buildah: Buildah, name: string, folder: string) {
  const root = join(folder, 'base');
  await run('debootstrap', ['--variant=minbase', RELEASE, root]);
  for (const path of UNUSED_FOLDERS) await rm(join(root, path), { recursive: true, force: true });
  await run('chroot', [root, 'groupadd', '--gid', '1000', 'node']);
  const account = ['--uid', '1000', '--gid', 'node', '--shell', '/bin/bash', '--create-home'];
  await run('chroot', [root, 'useradd', ...account, 'node']);
  await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
  await installNpm(root);
  const environment = await copyCertificates(root);

  const container = await buildah(['from', 'scratch']);
  await buildah(['copy', container, root, '/']);
  await buildah(['config', ...environment.flatMap((entry) => ['--env', entry]), container]);
  await buildah(['commit', '--format', 'docker', '--rm', container, name]);
  await rm(root, { recursive: true });
}

/** Copies the npm that runs this script, with its registry. */
async function installNpm(root: string): Promise<void> {
  const program = process.env.npm_execpath;
  if (!program) throw new Error('Start this check with npm run test:container.');
  const target = join(root, 'usr/local/lib/node_modules/npm');
  await cp(join(dirname(program), '..'), target, { recursive: true });
  for (const name of ['npm', 'npx']) {
    const link = join(root, 'usr/local/bin', name);
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, link);
  }
  const registry = (await run('npm', ['config', 'get', 'registry'])).trim();
  await mkdir(join(root, 'usr/local/etc'), { recursive: true });
  await writeFile(join(root, 'usr/local/etc/npmrc'), `registry=${registry}\n`);
}

/** A machine behind a proxy may trust an additional certificate authority. The build needs it too. */
async function copyCertificates(root: string): Promise<string[]> {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  const path = 'usr/local/etc/extra-ca.pem';
  await writeFile(join(root, path), await readFile(file));
  return [`NODE_EXTRA_CA_CERTS=/${path}`];
}
