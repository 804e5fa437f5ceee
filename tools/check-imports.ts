import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findImportProblems } from './import-problems.ts';

/** `node tools/check-imports.ts [folder]` fails on forbidden and circular imports. */

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const FOLDERS = 'packages/*/{src,test,scripts},bench,conformance,demo,e2e,test,tools,wordpress';
const files = globSync(`{${FOLDERS}}/**/*.{ts,tsx}`, { cwd: root }).sort();
const problems = findImportProblems(
  new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])),
);
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
