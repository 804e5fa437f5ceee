import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { EMAIL_PATTERN } from '../index.ts';

describe('EMAIL_PATTERN', () => {
  const pattern = new RegExp(EMAIL_PATTERN);
  const good = ['a@b.co', "o'brien+x@mail.example.co.uk", 'a_b-c.d@x-y.example', '1@2.example'];
  const bad = [
    '',
    'a',
    'a@',
    '@b.example',
    'a@localhost',
    'a@b.c',
    '.a@b.example',
    'a.@b.example',
    'a..b@c.example',
    "a'@b.example",
    'a@-b.example',
    'a@b-.example',
    'a@b..example',
    'A@b.example',
    'a b@c.example',
    'a@b.example\n',
    'a@b.example, c@d.example',
    'Me <me@b.example>',
    'ä@b.example',
    `${'a'.repeat(250)}@b.example`,
  ];
  for (const address of good)
    it(`accepts ${address}`, () => expect(pattern.test(address)).toBe(true));
  for (const address of bad) {
    it(`refuses ${JSON.stringify(address)}`, () => expect(pattern.test(address)).toBe(false));
  }

  it('rejects hostile input without catastrophic backtracking', () => {
    const address = `${'a.'.repeat(60)}@${'a-'.repeat(60)}`;
    // The timeout only stops a pattern that never finishes.
    const decide = () =>
      runInNewContext('pattern.test(address)', { pattern, address }, { timeout: 60_000 });
    expect(decide()).toBe(false);
  });
});
