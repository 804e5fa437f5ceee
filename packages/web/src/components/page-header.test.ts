import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

test('the frame knows each width that a page can have', () => {
  const [, widths = ''] = /width\?: ([^;]+);/.exec(read('components/page-header.tsx')) ?? [];
  const names = [...widths.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(1);
  const css = read('app/shell.module.css');
  expect(names.filter((name) => !css.includes(`:has(> [data-width="${name}"])`))).toEqual([]);
});
