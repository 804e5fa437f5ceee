import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, it } from 'vitest';
import { assertAcceptablePassword } from './password-policy.ts';
import { generatePassword } from './passwords.ts';

const EMAIL = 'Olga.Schmidt-1975@example.com';
const findRefusal = (password: string) =>
  assertAcceptablePassword(password, EMAIL).then(
    () => null,
    ({ code, message }) => ({ code, message }),
  );

describe('refused passwords', () => {
  for (const [password, reason] of [
    ['            ', /only spaces/],
    ['\u2003\t \u00a0         ', /only spaces/],
    ['aaaaaaaaaaaa', /one repeated character/],
    ['AaAaAaAaAaAa', /one repeated character/],
    ['😀😀😀😀😀😀😀😀😀😀😀😀', /one repeated character/],
    ['olga.schmidt-1975@example.com', /e-mail address/],
    ['OLGA.SCHMIDT-1975', /part before the @/],
    ['password1234', /too common/],
    ['Password1234!', /too common/],
    ['!!sunshine!!', /too common/],
    ['passwordpassword', /too common/],
    ['123456789012', /too common/],
    ['qwertyuiop12', /too common/],
    ['1qaz2wsx3edc', /too common/],
  ] as const) {
    it(`${JSON.stringify(password)}: ${reason.source}`, async () => {
      expect(await findRefusal(password)).toEqual({
        code: 'weak_password',
        message: expect.stringMatching(reason),
      });
    });
  }

  it('include each of the 10,000 most common passwords that is long enough', async () => {
    const commonest = dictionary['passwords-common'].slice(0, 10_000);
    expect(commonest.slice(0, 3)).toEqual(['123456', 'password', '12345678']);
    const long = commonest.filter(({ length }) => length >= 12);
    expect(long.length).toBeGreaterThan(20);
    expect((await Promise.all(long.map(findRefusal))).filter((each) => each === null)).toEqual([]);
  });

  it.each(['elevenchars', 'x'.repeat(129)])(
    'include one that is too short or too long: %s',
    async (password) => {
      expect(await findRefusal(password)).toMatchObject({ code: 'invalid_request' });
    },
  );
});

describe('accepted passwords', () => {
  it.each([
    'correct horse battery staple',
    'olga.schmidt likes long walks',
    '83650275 june 1975',
    'Tr0ub4dor&3 and more',
    'пароль из пяти слов',
  ])('%s', async (password) => {
    expect(await findRefusal(password)).toBeNull();
  });

  it('include the ones that the command line generates', async () => {
    expect(await findRefusal(generatePassword())).toBeNull();
  });
});
