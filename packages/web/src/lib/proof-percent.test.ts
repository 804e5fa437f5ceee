import { expect, it } from 'vitest';
import { fromProofPercent, toProofPercent } from './proof-percent.ts';

it.each([
  ['', 0],
  [0, 0],
  [12.5, 12.5],
  [100, 100],
  [101, null],
  [-1, null],
  ['-', null],
])('the field %j means %j', (field, percent) => {
  expect(toProofPercent(field)).toBe(percent);
});

it('one site is an empty field', () => {
  expect([fromProofPercent(0), fromProofPercent(50)]).toEqual(['', 50]);
});
