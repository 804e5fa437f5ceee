import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { EMAIL_PATTERN } from '../index.ts';

describe('the e-mail pattern', () => {
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
    it(`takes ${address}`, () => expect(pattern.test(address)).toBe(true));
  for (const address of bad) {
    it(`refuses ${JSON.stringify(address)}`, () => expect(pattern.test(address)).toBe(false));
  }

  it('decides about addresses that are made to be decided about for ever', () => {
    const address = `${'a.'.repeat(60)}@${'a-'.repeat(60)}`;
    // The limit only ends what would not end.
    const decide = () =>
      runInNewContext('pattern.test(address)', { pattern, address }, { timeout: 60_000 });
    expect(decide()).toBe(false);
  });
});
