import { describe, expect, it } from 'vitest';
import vectors from '../vectors/same-versions.json' with { type: 'json' };
import { isNewerVersion, isSameVersion, isVersionAbove, versionStep } from './version-order.ts';

describe('isNewerVersion', () => {
  it('follows the order of PHP', () => {
    expect(isNewerVersion('1.10', '1.9')).toBe(true);
    expect(isNewerVersion('1.0', '1.0-rc1')).toBe(true);
    expect(isNewerVersion('1.0', '1.0')).toBe(false);
  });
});

describe('isSameVersion', () => {
  it.each(vectors.cases)('compares "$a" and "$b": $same', ({ a, b, same }) => {
    expect([isSameVersion(a, b), isSameVersion(b, a)]).toEqual([same, same]);
  });
});

describe('isVersionAbove', () => {
  it('is false for another spelling of the same version', () => {
    expect(isVersionAbove('2.0.0', '2.0')).toBe(false);
    expect(isVersionAbove('2.0.1', '2.0')).toBe(true);
    expect(isVersionAbove('2.0', '2.0-beta')).toBe(true);
    expect(isVersionAbove('2.0-beta', '2.0.0')).toBe(false);
  });
});

describe('versionStep', () => {
  it.each([
    ['1.2.3', '1.2.4', 'patch'],
    ['6.1', '6.1.1', 'patch'],
    ['1.2.3', '1.2.3.1', 'patch'],
    ['5.9', '5.10', 'minor'],
    ['1.2.3', '1.3', 'minor'],
    ['1.9', '2.0', 'major'],
    ['2024.1', '2024.2', 'minor'],
    ['2024.1', '2025.1', 'major'],
    ['20240101', '20240102', 'major'],
    ['v1.2', '1.2.1', 'patch'],
    ['1.2', 'v1.3', 'minor'],
    ['1.0-beta', '1.0', 'patch'],
    ['1.0-beta1', '1.0-beta2', 'patch'],
    ['1.0', '1.0.1-beta', 'major'],
    ['1.0', '1.0.1b2', 'major'],
    ['1.0', '1.0.1-pl2', 'patch'],
    ['1.0', '1.0+build7', 'patch'],
    ['trunk', '1.0', 'major'],
    ['', '1.0', 'major'],
    ['1.0', 'nightly', 'major'],
    ['1.2.3', '1.2.2', 'patch'],
  ])('%s → %s is %s', (before, after, step) => {
    expect(versionStep(before, after, 'plugin')).toBe(step);
  });

  it('counts the first two numbers of WordPress as its major version', () => {
    expect(versionStep('6.1', '6.2', 'core')).toBe('major');
    expect(versionStep('6.1', '6.1.1', 'core')).toBe('patch');
  });
});
