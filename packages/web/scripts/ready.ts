import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, glob, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const WEB = join(import.meta.dirname, '..');
const ROOT = join(WEB, '../..');
export const SCREENS_DIR = join(WEB, 'dist');
const STAMP = 'built-from';
const SOURCES = [
  'packages/web/{src,public}/**/*',
  'packages/web/{index.html,vite.config.ts,package.json}',
  'packages/contract/src/**/*.ts',
  'package-lock.json',
];

/** Builds the screens if the build is missing or the source files have changed. */
export async function ensureScreensBuilt(print: (line: string) => void = () => {}): Promise<void> {
  const stamp = join(SCREENS_DIR, STAMP);
  const isReady = existsSync(stamp) && readFileSync(stamp, 'utf8') === (await fingerprint());
  if (isReady) return;
  print('Building the screens. This runs once, and again after changes.');
  await buildScreens();
}

/** Builds into a new folder first, so that a panel that starts meanwhile finds a complete build. */
export async function buildScreens(): Promise<void> {
  const sources = await fingerprint();
  const newBuild = await mkdtemp(join(WEB, 'dist-'));
  try {
    await buildForProduction(newBuild);
    await compressAll(join(newBuild, 'assets'));
    await writeFile(join(newBuild, STAMP), sources);
    await chmod(newBuild, 0o755);
    await rm(SCREENS_DIR, { recursive: true, force: true });
    // A concurrent build from the same files may finish first; its result is equivalent.
    await rename(newBuild, SCREENS_DIR).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(newBuild, { recursive: true, force: true });
  }
}

/**
 * Vitest sets NODE_ENV to `test`, and Vite then uses the development build of React. That build is slower and
 * 50 % larger, and every panel that starts from this folder would serve it.
 */
async function buildForProduction(outDir: string): Promise<void> {
  const { build } = await import('vite');
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

async function fingerprint(): Promise<string> {
  const paths: string[] = [];
  for await (const entry of glob(SOURCES, { cwd: ROOT, withFileTypes: true })) {
    const isTest = /\.test\.tsx?$/.test(entry.name);
    if (entry.isFile() && !isTest) paths.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const path of paths.sort()) {
    hash.update(`${path.slice(ROOT.length)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

/** Compresses at build time instead of at each request. */
async function compressAll(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(basename(name)));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const content = await readFile(path);
      await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
      await writeFile(`${path}.gz`, await promisify(gzip)(content));
    }),
  );
}
