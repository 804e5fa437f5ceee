import { dirname, join, normalize } from 'node:path';
import { IMPORT_RULES } from './import-rules.ts';

/**
 * Finds imports that a rule forbids, and circular imports. Includes type imports. `sources` maps paths from the
 * project root to source code.
 */
export function findImportProblems(sources: ReadonlyMap<string, string>): string[] {
  const graph: Graph = new Map();
  for (const [file, source] of sources) graph.set(file, parseImports(file, source));
  return [...findForbiddenImports(graph), ...findCircularImports(graph)];
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

type Import = { specifier: string; file: string };
type Graph = Map<string, Import[]>;

function parseImports(importer: string, source: string): Import[] {
  return [...source.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    const file = resolveImport(importer, specifier);
    return file === undefined ? [] : [{ specifier, file }];
  });
}

/** Returns a path from the project root or a Node.js module. Returns undefined for third-party packages. */
function resolveImport(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(importer), specifier));
  if (specifier.startsWith('node:')) return specifier;
  const [, name, path = 'index.ts'] = /^@steward\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return name && `packages/${name}/src/${path}`;
}

function findForbiddenImports(graph: Graph): string[] {
  return [...graph].flatMap(([importer, imports]) =>
    imports.flatMap(({ specifier, file }) =>
      IMPORT_RULES.filter(({ from, to, except }) => {
        const match = from.exec(importer);
        if (!match || except?.test(file)) return false;
        return new RegExp(to.replaceAll('$1', match[1] ?? '')).test(file);
      }).map(({ reason }) => `${importer} must not import '${specifier}'. ${reason}`),
    ),
  );
}

/** Returns each cycle once, as the list of its files. */
function findCircularImports(graph: Graph): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push(`Circular import: ${[...path.slice(start), file].join(' → ')}`);
    } else if (!finished.has(file)) {
      for (const imported of graph.get(file) ?? []) visit(imported.file, [...path, file]);
      finished.add(file);
    }
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
