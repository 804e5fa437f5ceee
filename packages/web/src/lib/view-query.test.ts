import { expect, it } from 'vitest';
import { toViewQuery } from './view-query.ts';

it('the order of the filters does not matter', () => {
  expect(toViewQuery('?tag=a%20b&status=failing')).toBe('status=failing&tag=a+b');
  expect(toViewQuery('status=failing&tag=a+b')).toBe('status=failing&tag=a+b');
  expect(toViewQuery('')).toBe('');
});
