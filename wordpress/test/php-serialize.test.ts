import { run } from '@steward/testkit/command.ts';
import {
  PhpObject,
  type PhpValue,
  phpSerialize,
  phpUnserialize,
} from '@steward/testkit/wordpress/php-serialize.ts';
import { describe, expect, it } from 'vitest';

const VALUES: Record<string, { php: string; value: PhpValue }> = {
  'a string': { php: `'plain'`, value: 'plain' },
  'a multi-byte string': { php: `'Größe "€"; {}'`, value: 'Größe "€"; {}' },
  'an integer': { php: '-42', value: -42 },
  'a float': { php: '1.5', value: 1.5 },
  true: { php: 'true', value: true },
  false: { php: 'false', value: false },
  null: { php: 'null', value: null },
  'an empty array': { php: '[]', value: [] },
  'a list': { php: `['a', 2, null]`, value: ['a', 2, null] },
  'an array with keys': { php: `['b' => 1, 'a' => [true]]`, value: { b: 1, a: [true] } },
  'an array with numeric keys': { php: `[7 => 'x', '9' => 'y']`, value: { 7: 'x', 9: 'y' } },
  'an object': {
    php: `(object) ['list' => [(object) ['1' => 'x']]]`,
    value: new PhpObject({ list: [new PhpObject({ 1: 'x' })] }),
  },
};

describe("phpSerialize matches PHP's serialize() for", () => {
  for (const [name, { php, value }] of Object.entries(VALUES)) {
    it(name, async () => {
      const serialized = await run('php', ['-r', `echo serialize( ${php} );`]);
      expect(phpSerialize(value)).toBe(serialized);
      expect(phpUnserialize(serialized)).toStrictEqual(value);
    });
  }
});

describe('phpUnserialize', () => {
  it('throws on truncated input', () => {
    expect(() => phpUnserialize('s:5:"ab"')).toThrow('Unexpected end');
  });

  it('throws on trailing input', () => {
    expect(() => phpUnserialize('i:1;i:2;')).toThrow('more than one value');
  });
});
