import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { type BuildFolder, buildFolder, isBuilt } from '../../../tools/build-folder.ts';

const WEB = join(import.meta.dirname, '..');

const SCREENS: BuildFolder = {
  target: join(WEB, 'dist'),
  sources: [
    'packages/web/{src,public}/**/*',
    'packages/web/{index.html,vite.config.ts,package.json,scripts/ready.ts}',
    'packages/contract/src/**/*.ts',
    'package-lock.json',
  ],
  async build(folder) {
    await buildForProduction(folder);
    await compressAll(join(folder, 'assets'));
  },
};

/** Builds the screens if the build is missing or the source files have changed. */
export async function ensureScreensBuilt(print: (line: string) => void = () => {}): Promise<void> {
  if (await isBuilt(SCREENS)) return;
  print('Building the screens. This runs once, and again after changes.');
  await buildFolder(SCREENS);
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
      build: { outDir, emptyOutDir: true, license: { fileName: 'LICENSES.md' } },
    });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
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
