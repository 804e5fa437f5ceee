import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

test('an empty list is an EmptyState, which has room for the next step', () => {
  const found = globSync('{app,components,features}/**/*.tsx', { cwd: root }).flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /<(Text|p|span|div)\b[^>]*>\s*\{[\w.]*\.(empty|noMatch|none)(Title)?\}/g,
      ),
    ].map(([text]) => `${file}: ${text}`),
  );
  // The value of a field, not a list.
  const values = ['features/audit/components/record-details.tsx', 'features/software/components/'];
  expect(found.filter((text) => !values.some((file) => text.startsWith(file)))).toEqual([]);
});

test('an EmptyState says what to do next', () => {
  const found = globSync('{app,components,features}/**/*.tsx', { cwd: root }).filter((file) =>
    /<EmptyState\b(?![^>]*\baction=)[^>]*\/>/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(found).toEqual([]);
});
