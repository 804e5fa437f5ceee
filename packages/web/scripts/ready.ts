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

/** Builds the screens when there are none, or when they were made from other files than these. */
export async function makeScreensReady(say: (line: string) => void = () => {}): Promise<void> {
  const stamp = join(SCREENS_DIR, STAMP);
  const isReady = existsSync(stamp) && readFileSync(stamp, 'utf8') === (await fingerprint());
  if (isReady) return;
  say('Building the screens. This happens once, and again when they have changed.');
  await buildScreens();
}

/** Into a folder of its own first: whoever starts meanwhile finds the old screens or the new. */
export async function buildScreens(): Promise<void> {
  const from = await fingerprint();
  const fresh = await mkdtemp(join(WEB, 'dist-'));
  try {
    await buildForProduction(fresh);
    await compressAll(join(fresh, 'assets'));
    await writeFile(join(fresh, STAMP), from);
    await chmod(fresh, 0o755);
    await rm(SCREENS_DIR, { recursive: true, force: true });
    // Another build may have come first; made from the same files, it is as good.
    await rename(fresh, SCREENS_DIR).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/**
 * Vitest sets NODE_ENV to `test`, and Vite then takes the development build of React: half as large
 * again, slower, and served from then on by every panel that starts from this folder.
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

/** Once here instead of at each request. */
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
