import { expect, it } from 'vitest';
import { findBrokenLinks, listAnchors } from './links.ts';

const FILES: Record<string, string> = {
  'README.md':
    '# Top\n[a](docs/a.md#the-first-part) [b](docs/b.md) [c](#top) [web](https://x.org/y)',
  'docs/a.md':
    '# A\n## The first part\n[up](../README.md#no-heading)\n```sh\n# The end\n[x](y.md)\n```',
};
const read = (path: string) => FILES[path] ?? null;

it('finds links to missing files and headings', () => {
  expect(findBrokenLinks('README.md', read)).toEqual(['README.md: docs/b.md']);
  expect(findBrokenLinks('docs/a.md', read)).toEqual(['docs/a.md: README.md#no-heading']);
});

it('names headings as GitHub does', () => {
  expect(listAnchors('# `npm test`, "x" & y\n## Größe\n## Same\n## Same\n')).toEqual([
    'npm-test-x--y',
    'größe',
    'same',
    'same-1',
  ]);
  expect(listAnchors(FILES['docs/a.md'] ?? '')).toEqual(['a', 'the-first-part']);
});
