import { describe, expect, it } from 'vitest';
import { BOUNDS, isWithinBounds, parseBoundedJson } from './bounded-json.ts';

const list = (length: number) => JSON.stringify({ items: Array(length).fill(0) });
const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const fields = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [index, index])));

describe('bounded JSON', () => {
  it.each([
    ['the maximum number of items', list(BOUNDS.items), true],
    ['one item more', list(BOUNDS.items + 1), false],
    [
      'the maximum in several lists and empty ones',
      JSON.stringify({
        a: [],
        b: Array(BOUNDS.items - 1).fill({ c: [] }),
        d: ['x'],
        e: [[], []].slice(2),
      }),
      true,
    ],
    [
      'one item more in several lists',
      `{"a":[1,2],"b":${JSON.stringify(Array(BOUNDS.items - 1).fill(0))}}`,
      false,
    ],
    ['the maximum depth', nest(BOUNDS.depth), true],
    ['one level more', nest(BOUNDS.depth + 1), false],
    ['one level more, in objects', `${'{"a":'.repeat(BOUNDS.depth + 1)}0`, false],
    ['the maximum number of fields', fields(BOUNDS.fields), true],
    ['one field more', fields(BOUNDS.fields + 1), false],
    [
      'brackets and commas in texts',
      JSON.stringify(['[{,:'.repeat(10_000), '\\"['.repeat(99)]),
      true,
    ],
    ['an unclosed string', `["${'['.repeat(100)}`, true],
  ])('with %s', (_what, text, expected) => {
    expect(isWithinBounds(text)).toBe(expected);
  });

  it('is not parsed if it exceeds the bounds', () => {
    expect(parseBoundedJson(nest(BOUNDS.depth + 1))).toEqual({ kind: 'too_large' });
    // The limits also apply to text that is not valid JSON.
    expect(parseBoundedJson(`  ${'['.repeat(500_000)}`)).toEqual({ kind: 'too_large' });
  });

  it('does not count brackets of a web page', () => {
    const page = `<script>${'[{'.repeat(50)}</script>`;
    expect(parseBoundedJson(page)).toEqual({ kind: 'not_json' });
  });

  it('has long texts truncated, without half a character at the end', () => {
    const long = `${'x'.repeat(BOUNDS.textLength - 2)}😀😀`;
    const parsed = parseBoundedJson(JSON.stringify({ a: [{ b: long, c: 'short', d: null }] }));
    const cut = `${'x'.repeat(BOUNDS.textLength - 2)}\ufffd…`;
    expect(parsed).toEqual({ kind: 'json', value: { a: [{ b: cut, c: 'short', d: null }] } });
    expect(cut).toHaveLength(BOUNDS.textLength);
  });
});
