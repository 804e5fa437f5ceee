import { describe, expect, it } from 'vitest';
import vectors from '../vectors/versions.json' with { type: 'json' };
import { compareVersions } from './compare-versions.ts';

describe('compareVersions', () => {
  it.each(vectors.cases)('orders "$a" and "$b" as PHP: $order', ({ a, b, order }) => {
    expect(compareVersions(a, b)).toBe(order);
    expect(compareVersions(b, a)).toBe(-order + 0);
  });

  it('compares versions of 10,000 characters', () => {
    const long = '1.'.repeat(5000);
    expect(compareVersions(`${long}1`, `${long}2`)).toBe(-1);
    expect(compareVersions('x.'.repeat(5000), '1')).toBe(-1);
  });
});
