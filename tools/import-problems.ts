import { dirname, join, normalize } from 'node:path';
import { IMPORT_RULES } from './import-rules.ts';

/**
 * Finds imports that a rule forbids, and files that import each other in a circle, imports of types included. The keys
 * are paths from the root of the project, the values are their sources.
 */
export function importProblems(sources: ReadonlyMap<string, string>): string[] {
  const graph: Graph = new Map();
  for (const [file, source] of sources) graph.set(file, importsOf(file, source));
  return [...forbiddenImports(graph), ...importCircles(graph)];
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

type Import = { specifier: string; file: string };
type Graph = Map<string, Import[]>;

function importsOf(importer: string, source: string): Import[] {
  return [...source.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    const file = resolveImport(importer, specifier);
    return file === undefined ? [] : [{ specifier, file }];
  });
}

/** A path from the root of the project, or a module of Node; undefined for packages of others. */
function resolveImport(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(importer), specifier));
  if (specifier.startsWith('node:')) return specifier;
  const [, name, path = 'index.ts'] = /^@steward\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return name && `packages/${name}/src/${path}`;
}

function forbiddenImports(graph: Graph): string[] {
  return [...graph].flatMap(([importer, imports]) =>
    imports.flatMap(({ specifier, file }) =>
      IMPORT_RULES.filter(({ from, to, except }) => {
        const match = from.exec(importer);
        if (!match || except?.test(file)) return false;
        return new RegExp(to.replaceAll('$1', match[1] ?? '')).test(file);
      }).map(({ because }) => `${importer} must not import '${specifier}'. ${because}`),
    ),
  );
}

/** Each circle once, as the files on the way round. */
function importCircles(graph: Graph): string[] {
  const circles: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      circles.push(`Import circle: ${[...path.slice(start), file].join(' → ')}`);
    } else if (!finished.has(file)) {
      for (const next of graph.get(file) ?? []) visit(next.file, [...path, file]);
      finished.add(file);
    }
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}
