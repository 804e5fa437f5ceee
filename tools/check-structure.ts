import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findImportProblems } from './import-problems.ts';
import { findTableProblems } from './table-problems.ts';

/** `node tools/check-structure.ts [folder]` fails on forbidden and circular imports, and on uses of foreign tables. */

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const FOLDERS = 'packages/*/{src,test,scripts},bench,conformance,demo,e2e,test,tools,wordpress';
const files = globSync(`{${FOLDERS}}/**/*.{ts,tsx}`, { cwd: root }).sort();
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const problems = [...findImportProblems(sources), ...findTableProblems(sources)];
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
