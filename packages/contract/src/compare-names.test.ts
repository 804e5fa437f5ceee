import { expect, it } from 'vitest';
import { compareNames } from './compare-names.ts';

it('sorts names by the value of their numbers, and upper beside lower case', () => {
  const sorted = [
    'Äpfel',
    'shop2.example',
    'shop10.example',
    'Studio-3',
    'studio-3',
    'studio-23',
    'zebra',
  ];
  expect(sorted.toReversed().sort(compareNames)).toEqual(sorted);
});
