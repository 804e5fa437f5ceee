import { describe, expect, it } from 'vitest';
import { formatBytes } from './format-bytes.ts';

describe('formatBytes', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [1_234_567, '1.2 MB'],
    [27_000_000_000, '27 GB'],
    [5e15, '5,000 TB'],
  ])('%s is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
