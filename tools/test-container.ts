/**
 * `npm run test:container`: builds the Dockerfile with Buildah, checks the size and the content of the image, and runs
 * the panel in it as its user on a read-only root. Needs Debian and root. docs/container.md describes it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '@steward/testkit/command.ts';
import { findFreePort } from '@steward/testkit/free-port.ts';
import { launchPasswordPostgres } from '@steward/testkit/postgres/password-postgres.ts';
import { createBaseImage } from './container/base-image.ts';
import { createBuildah } from './container/buildah.ts';
import { runInImage, startInImage } from './container/run-image.ts';

const ROOT = join(import.meta.dirname, '..');
const BASE_IMAGE = 'docker.io/library/node:24-bookworm-slim';
const MAX_MEGABYTES = 350;
const PACKAGES = ['buildah', 'debootstrap', 'postgresql'];
const START_SECONDS = 60;

type ImageConfig = { User: string; Env: string[]; Healthcheck: { Test: string[] } };

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function installPrograms(): void {
  const isDebian = existsSync('/etc/debian_version');
  if (!isDebian || process.getuid?.() !== 0) {
    throw new Error('This check runs only on Debian, as root: it installs programs and mounts.');
  }
  const programs = ['/usr/bin/buildah', '/usr/sbin/debootstrap', '/usr/lib/postgresql'];
  if (programs.every((path) => existsSync(path))) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const commands = [['update'], ['install', '-y', '--no-install-recommends', ...PACKAGES]];
  for (const args of commands) {
    const { status } = spawnSync('apt-get', args, { stdio: 'inherit', env });
    if (status !== 0) throw new Error('apt-get failed. See its output above.');
  }
}

/** Builds the image and passes the folder with its files to `use`. */
async function withImage(use: (root: string, config: ImageConfig) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-container-'));
  const buildah = createBuildah(folder);
  try {
    print('Creating a base image with Debian and Node.js');
    await createBaseImage(buildah, BASE_IMAGE, folder);
    print('Building the Dockerfile');
    // Without a container runtime, and without a network of its own.
    const options = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker'];
    await buildah(['build', ...options, '--pull-never', '--tag', 'steward', ROOT]);
    const container = await buildah(['from', '--pull-never', 'steward']);
    const { Docker } = JSON.parse(await buildah(['inspect', '--type', 'image', 'steward']));
    await use(await buildah(['mount', container]), Docker.config);
    await buildah(['umount', container]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkContent(root: string): Promise<void> {
  const size = await run('du', ['--summarize', '--block-size=1', '--one-file-system', root]);
  const megabytes = Math.round(Number.parseInt(size, 10) / 1e6);
  assert.ok(
    megabytes <= MAX_MEGABYTES,
    `The image has ${megabytes} MB, more than ${MAX_MEGABYTES}.`,
  );
  const unwanted = ['-name', 'node_modules', '-o', '-name', '*.ts', '-o', '-name', '*.tsx'];
  const found = await run('find', [join(root, 'opt/steward'), ...unwanted]);
  assert.equal(found, '', 'The image contains source code or packages.');
  print(
    `The image has ${megabytes} MB (limit ${MAX_MEGABYTES} MB), no source code and no node_modules.`,
  );
}

async function checkPanel(root: string, config: ImageConfig): Promise<void> {
  assert.equal(config.User, 'node');
  const password = randomBytes(16).toString('hex');
  const database = await launchPasswordPostgres(password);
  const port = String(await findFreePort());
  const env = {
    ...Object.fromEntries(config.Env.map((entry) => entry.split(/=(.*)/s).slice(0, 2))),
    HOST: '127.0.0.1',
    PORT: port,
    DATABASE_URL: `postgres://postgres:${password}@127.0.0.1:${database.port}/postgres`,
    SECRET_KEY: randomBytes(32).toString('base64'),
  };
  try {
    const { output: version } = await runInImage(root, ['steward', '--version'], env);
    const { version: expected } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.equal(version.trim(), expected);
    const writing = await runInImage(root, ['touch', '/opt/steward/file'], env);
    assert.match(writing.output, /Read-only file system/);
    const migration = await runInImage(root, ['steward', 'migrate'], env);
    assert.equal(migration.code, 0, migration.output);
    await checkServer(root, config, env);
  } finally {
    await database.stop();
  }
}

async function checkServer(root: string, config: ImageConfig, env: Record<string, string>) {
  const panel = startInImage(root, ['steward', 'serve'], env);
  let log = '';
  for (const stream of [panel.stdout, panel.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      log += text;
    });
  }
  try {
    const url = `http://127.0.0.1:${env.PORT}`;
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    for (let second = 0; !(await isReady()); second++) {
      const isRunning = panel.exitCode === null && second < START_SECONDS;
      assert.ok(isRunning, `The panel does not become ready.\n${log}`);
      await delay(1000);
    }
    const status = readFileSync(`/proc/${panel.pid}/status`, 'utf8');
    assert.match(status, /^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
    assert.match(status, /^CapEff:\s+0+$/m);
    assert.match(await (await fetch(url)).text(), /<div id="root">/);
    const [, ...healthCheck] = config.Healthcheck.Test;
    assert.equal((await runInImage(root, healthCheck, env)).code, 0, 'The health check fails.');
    print(
      'The panel runs as uid 1000 without capabilities on a read-only root; its health check succeeds.',
    );
    panel.kill('SIGTERM');
    const [code] = await once(panel, 'exit');
    assert.equal(code, 0, `The panel did not stop in order.\n${log}`);
  } finally {
    panel.kill('SIGKILL');
  }
}

try {
  installPrograms();
  await withImage(async (root, config) => {
    await checkContent(root);
    await checkPanel(root, config);
  });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
