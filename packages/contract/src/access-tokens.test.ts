import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN_PATTERN, listTokenActions, TOKEN_ACTIONS } from './index.ts';

describe('listTokenActions', () => {
  it('gives an owner all actions, a manager those on sites, and a viewer only reading', () => {
    expect(listTokenActions('owner')).toEqual(TOKEN_ACTIONS);
    expect(TOKEN_ACTIONS.filter((action) => !listTokenActions('manager').includes(action))).toEqual(
      ['rules', 'licenses'],
    );
    expect(listTokenActions('viewer')).toEqual(['read']);
  });
});

describe('ACCESS_TOKEN_PATTERN', () => {
  it('matches a whole token only', () => {
    const token = `stw_pat_${'aB3_-'.repeat(8)}abc`;
    expect(ACCESS_TOKEN_PATTERN.test(token)).toBe(true);
    for (const text of [`${token}x`, `x${token}`, token.slice(0, -1), `${token}\n`, '']) {
      expect([text, ACCESS_TOKEN_PATTERN.test(text)]).toEqual([text, false]);
    }
  });
});
