import { runInNewContext } from 'node:vm';
import { anyCharacter } from '@steward/testkit/any-character.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateTexts } from '../platform/bounded-json.ts';
import { plainName, plainText } from './plain-text.ts';

const SERVICE_KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';
const plain = (text: string) => plainText(text, SERVICE_KEY);

describe('plainText', () => {
  for (const [what, input, expected] of [
    [
      'markup',
      '<p>The <b>plugin</b> is <a href="/x">gone</a>.</p><p>Sorry',
      'The plugin is gone. Sorry',
    ],
    ['unclosed comments', 'a <!-- b', 'a'],
    ['scripts and styles', 'a<script>alert(1)</script><style>p{}</style><!-- b -->c', 'a c'],
    ['entities', '&#8220;Shop&#x201d; &amp; &lt;more&gt;&#9999999;', '“Shop” & <more>&#9999999;'],
    ['line breaks and control characters', 'one\r\ntwo\u0000\u001b[31mthree', 'one two [31mthree'],
    ['characters that change the text direction', 'a\u202eb\u2066c', 'a b c'],
    ['lone surrogates', 'a\ud800b', 'a b'],
  ] as const) {
    it(`removes ${what}`, () => expect(plain(input)).toBe(expected));
  }

  for (const [what, key] of [
    ['the key of the site', SERVICE_KEY],
    ['another key', 'STWD-ZZZZZZZ-ZZZZZZZ-ZZZZZZZ-ZZZZZZZ'],
    ['a key in another notation', SERVICE_KEY.toLowerCase().replaceAll('-', ' ')],
    ['a key with entities', SERVICE_KEY.replaceAll('-', '&#45;')],
    ['a key with markup', SERVICE_KEY.replace('789', '<b>789</b>')],
  ] as const) {
    it(`masks keys: ${what}`, () =>
      expect(plain(`X-Service-Key: ${key}, refused`)).toBe('X-Service-Key: [key], refused'));
  }

  it('masks a key that matches no pattern', () =>
    expect(plainText('Key STWD -- 1 2 3.', 'STWD -- 1 2 3')).toBe('Key [key].'));

  it('leaves no part of a key at the end of a truncated text', () => {
    for (let at = 1950; at <= 2000; at++) {
      const markup = `<i ${'x'.repeat(at - 4)}>${SERVICE_KEY} and more ${'y'.repeat(500)}`;
      const unseen = `${'\u200b'.repeat(at)}${SERVICE_KEY} and more`;
      for (const shown of [
        plain(markup),
        plain(truncateTexts(markup)),
        plainName(unseen, SERVICE_KEY),
        plainName(truncateTexts(unseen), SERVICE_KEY),
      ]) {
        expect(shown).not.toMatch(/STWD|0123456/);
      }
    }
  });

  it('limits the length', () => {
    expect(plain('long '.repeat(1_000_000))).toHaveLength(300);
    expect(plainName('x'.repeat(1_000_000), SERVICE_KEY)).toHaveLength(500);
  });

  it('returns one printable line for any input', () => {
    const anyText = fc.string({ unit: anyCharacter, maxLength: 6000 });
    fc.assert(
      fc.property(anyText, (text) => {
        for (const shown of [plain(text), plainName(text, SERVICE_KEY)]) {
          expect(shown.isWellFormed()).toBe(true);
          expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
      }),
    );
  });

  for (const part of ['<', '<script', '<!--', '&#', 'STWD-0123456-', '<script></scrip']) {
    it(`takes linear time for hostile input: ${part}…`, () => {
      const text = part.repeat(1_000_000);
      // The timeout only stops a hang: backtracking over each part would take days.
      const shown = runInNewContext('plain(text)', { plain, text }, { timeout: 60_000 });
      expect(shown.length).toBeLessThanOrEqual(1000);
    });
  }
});
