import { describe, expect, it } from 'vitest';
import { BOUNDS, isWithinBounds, parseBoundedJson } from './bounded-json.ts';

const list = (length: number) => JSON.stringify({ items: Array(length).fill(0) });
const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const fields = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [index, index])));

describe('JSON of a site', () => {
  it.each([
    ['as many items as it may have', list(BOUNDS.items), true],
    ['one more', list(BOUNDS.items + 1), false],
    [
      'as many in several lists, and empty ones',
      JSON.stringify({
        a: [],
        b: Array(BOUNDS.items - 1).fill({ c: [] }),
        d: ['x'],
        e: [[], []].slice(2),
      }),
      true,
    ],
    [
      'one more in several lists',
      `{"a":[1,2],"b":${JSON.stringify(Array(BOUNDS.items - 1).fill(0))}}`,
      false,
    ],
    ['as deep as it may be', nest(BOUNDS.depth), true],
    ['one deeper', nest(BOUNDS.depth + 1), false],
    ['one deeper, in objects', `${'{"a":'.repeat(BOUNDS.depth + 1)}0`, false],
    ['as many fields as it may have', fields(BOUNDS.fields), true],
    ['one field more', fields(BOUNDS.fields + 1), false],
    [
      'brackets and commas in texts',
      JSON.stringify(['[{,:'.repeat(10_000), '\\"['.repeat(99)]),
      true,
    ],
    ['a text without an end', `["${'['.repeat(100)}`, true],
  ])('with %s', (_what, text, expected) => {
    expect(isWithinBounds(text)).toBe(expected);
  });

  it('is not parsed when it is too much', () => {
    expect(parseBoundedJson(nest(BOUNDS.depth + 1))).toEqual({ kind: 'too_large' });
    // Not even told from what is no JSON.
    expect(parseBoundedJson(`  ${'['.repeat(500_000)}`)).toEqual({ kind: 'too_large' });
  });

  it('is something else than a web page, however that is nested', () => {
    const page = `<script>${'[{'.repeat(50)}</script>`;
    expect(parseBoundedJson(page)).toEqual({ kind: 'not_json' });
  });

  it('has its long texts cut, and no half of a character at their end', () => {
    const long = `${'x'.repeat(BOUNDS.textLength - 2)}😀😀`;
    const parsed = parseBoundedJson(JSON.stringify({ a: [{ b: long, c: 'short', d: null }] }));
    const cut = `${'x'.repeat(BOUNDS.textLength - 2)}\ufffd…`;
    expect(parsed).toEqual({ kind: 'json', value: { a: [{ b: cut, c: 'short', d: null }] } });
    expect(cut).toHaveLength(BOUNDS.textLength);
  });
});
