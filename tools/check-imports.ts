import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importProblems } from './import-problems.ts';

/** `node tools/check-imports.ts [folder]` fails on imports that are forbidden. */

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .sort();
const problems = importProblems(
  new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])),
);
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
