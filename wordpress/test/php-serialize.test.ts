import { run } from '@steward/testkit/command.ts';
import {
  PhpObject,
  type PhpValue,
  phpSerialize,
  phpUnserialize,
} from '@steward/testkit/wordpress/php-serialize.ts';
import { describe, expect, it } from 'vitest';

const VALUES: Record<string, { php: string; value: PhpValue }> = {
  'a text': { php: `'plain'`, value: 'plain' },
  'a text of more bytes than letters': { php: `'Größe "€"; {}'`, value: 'Größe "€"; {}' },
  'a whole number': { php: '-42', value: -42 },
  'a fraction': { php: '1.5', value: 1.5 },
  true: { php: 'true', value: true },
  false: { php: 'false', value: false },
  null: { php: 'null', value: null },
  'an empty array': { php: '[]', value: [] },
  'a list': { php: `['a', 2, null]`, value: ['a', 2, null] },
  'an array with keys': { php: `['b' => 1, 'a' => [true]]`, value: { b: 1, a: [true] } },
  'an array with numbers as keys': { php: `[7 => 'x', '9' => 'y']`, value: { 7: 'x', 9: 'y' } },
  'an object': {
    php: `(object) ['list' => [(object) ['1' => 'x']]]`,
    value: new PhpObject({ list: [new PhpObject({ 1: 'x' })] }),
  },
};

describe("PHP's own serialize() and ours agree on", () => {
  for (const [name, { php, value }] of Object.entries(VALUES)) {
    it(name, async () => {
      const serialized = await run('php', ['-r', `echo serialize( ${php} );`]);
      expect(phpSerialize(value)).toBe(serialized);
      expect(phpUnserialize(serialized)).toStrictEqual(value);
    });
  }
});

describe('phpUnserialize', () => {
  it('refuses what ends too early', () => {
    expect(() => phpUnserialize('s:5:"ab"')).toThrow('ends too early');
  });

  it('refuses what goes on after the value', () => {
    expect(() => phpUnserialize('i:1;i:2;')).toThrow('more than one value');
  });
});
