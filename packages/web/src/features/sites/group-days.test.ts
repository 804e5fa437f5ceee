import { expect, it } from 'vitest';
import { countDays, groupDays } from './group-days.ts';

it('joins equal days in a row', () => {
  expect(groupDays('nnuudu')).toEqual([
    { letter: 'n', start: 0, length: 2 },
    { letter: 'u', start: 2, length: 2 },
    { letter: 'd', start: 4, length: 1 },
    { letter: 'u', start: 5, length: 1 },
  ]);
});

it('counts the days with an outage, and those that were checked', () => {
  expect(countDays('nnuudu')).toEqual({ down: 1, checked: 4 });
});
