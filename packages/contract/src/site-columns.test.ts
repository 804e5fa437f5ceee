import { expect, it } from 'vitest';
import { parseSiteColumns } from './site-columns.ts';

it('reads columns in their order, each once, without unknown ones', () => {
  expect(parseSiteColumns('php,status,php,nothing')).toEqual(['status', 'php']);
  expect([parseSiteColumns(undefined), parseSiteColumns(''), parseSiteColumns('x')]).toEqual([
    null,
    null,
    null,
  ]);
});
