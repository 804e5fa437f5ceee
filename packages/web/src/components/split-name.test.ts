import { expect, it } from 'vitest';
import { splitName } from './split-name.ts';

it('keeps the end of a long name', () => {
  expect(splitName('a-rather-long-name-for-a-shop.example')).toEqual({
    start: 'a-rather-long-name-for-a-',
    end: 'shop.example',
  });
  expect(splitName('studio-2.example')).toEqual({ start: 'studio-2.example', end: '' });
  const label = 'Kingfisher Hotel 12 (hotel-12.kingfisher.example)';
  expect(splitName(label)).toEqual({ start: label, end: '' });
  const { start, end } = splitName('😀'.repeat(20));
  expect([start, end].join('')).toBe('😀'.repeat(20));
  expect([...end]).toHaveLength(12);
});
