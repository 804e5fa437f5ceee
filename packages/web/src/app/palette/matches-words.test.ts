import { describe, expect, it } from 'vitest';
import { matchesWords } from './matches-words.ts';

describe('matchesWords', () => {
  it.each([
    ['2fa', 'Second factor 2FA two-factor', true],
    ['two factor', 'Second factor 2FA two-factor', true],
    ['TWO-FAC', 'Second factor 2FA two-factor', true],
    ['time zone', 'Time zone of schedules timezone', true],
    ['actor', 'Second factor', false],
    ['backup codes', 'Backups of the panel', false],
  ])('%j in %j: %s', (query, text, expected) => {
    expect(matchesWords(query, text)).toBe(expected);
  });
});
