import { describe, expect, it } from 'vitest';
import { findVersionSupport, listVersionsOf, SUPPORT_TABLES } from './version-support.ts';

const NOW = new Date('2026-06-12T12:00:00Z');

describe('findVersionSupport', () => {
  it.each([
    ['php', '7.4.33', NOW, 'ended'],
    ['php', '8.1', NOW, 'ended'],
    ['php', '8.2.30-1+deb12u1', NOW, 'supported'],
    ['php', '8.2.30', new Date('2026-07-02T12:00:00Z'), 'ending'],
    ['php', '8.2.30', new Date('2026-12-31T23:59:59Z'), 'ending'],
    ['php', '8.2.30', new Date('2027-01-01T00:00:00Z'), 'ended'],
    ['php', '8.5.3', NOW, 'supported'],
    ['wordpress', '6.8.3', NOW, 'ended'],
    ['wordpress', '6.9-beta1', NOW, 'ended'],
  ] as const)('%s %s at %s', (software, version, now, state) =>
    expect(findVersionSupport(software, version, now)?.state).toBe(state),
  );

  it.each([
    ['php', '8.51'],
    ['php', '9.0.1'],
    ['php', 'node-24.1.0'],
    ['php', ''],
    ['php', 'constructor'],
    ['wordpress', '7.1.2'],
    ['wordpress', '16.8'],
  ] as const)('does not know %s %s', (software, version) =>
    expect(findVersionSupport(software, version, NOW)).toBeNull(),
  );

  it('names the day of the end and the day of the table', () => {
    expect(findVersionSupport('php', '8.1.34', NOW)).toEqual({
      ...{ state: 'ended', endsOn: '2025-12-31' },
      asOf: SUPPORT_TABLES.php.asOf,
    });
  });
});

describe('listVersionsOf', () => {
  it('lists the versions of a filter', () => {
    expect(listVersionsOf('php_ended', NOW)).toEqual(expect.arrayContaining(['5.6', '8.1']));
    expect(listVersionsOf('php_ended', NOW)).not.toContain('8.2');
    expect(listVersionsOf('php_ending', new Date('2026-11-01T00:00:00Z'))).toEqual(['8.2']);
    expect(listVersionsOf('wordpress_ended', NOW)).toContain('6.9');
  });
});
