import { describe, expect, it } from 'vitest';
import { BOUNDS } from '../platform/bounded-json.ts';
import { findJson } from './find-json.ts';

const BOM = '\uFEFF';
const JSON_TEXT = '{"success":true,"results":{"plugins":[{"slug":"a}b\\"{","success":true}]}}';
const WARNING =
  '<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/web/wp-config.php</b> on line <b>3</b><br />\n';

describe('findJson', () => {
  it('parses a response without other output', () => {
    expect(findJson(JSON_TEXT)).toEqual({ kind: 'json', value: JSON.parse(JSON_TEXT) });
  });

  it.each([
    ['a byte order mark', `${BOM}${JSON_TEXT}`],
    ['two byte order marks and a line', `${BOM}${BOM}\r\n${JSON_TEXT}`],
    ['a PHP warning', `${WARNING}${JSON_TEXT}`],
    ['a warning that quotes braces', `Notice: Array { [0] => "x" } in x.php\n${JSON_TEXT}`],
    ['a comment of a cache after it', `${JSON_TEXT}\n<!-- served in 0.2 s -->`],
    ['warnings on both sides', `${WARNING}${JSON_TEXT}${WARNING}`],
  ])('finds the JSON behind %s', (_what, text) => {
    expect(findJson(text)).toEqual({
      kind: 'json',
      value: JSON.parse(JSON_TEXT),
      hasOtherOutput: true,
    });
  });

  it.each([
    ['two responses', `${JSON_TEXT}${JSON_TEXT}`],
    ['a response that a warning quotes', `Notice: {"success":true} in x.php\n${JSON_TEXT}`],
    ['a page with JSON in a script', `<html><script>x(${JSON_TEXT})</script></html>`],
    ['a script alone', `<script>x(${JSON_TEXT})</script>`],
    ['a response that ends too early', `${WARNING}${JSON_TEXT.slice(0, -1)}`],
    ['other JSON', `${WARNING}{"ok":true}`],
    ['an error text', 'Error establishing a database connection'],
    ['an empty response', ''],
  ])('finds nothing in %s', (_what, text) => {
    expect(findJson(text)).toEqual({ kind: 'not_json' });
  });

  it('keeps the limits of responses', () => {
    const items = JSON.stringify({ success: true, items: Array(BOUNDS.items + 10).fill(0) });
    expect(findJson(`${WARNING}${items}`)).toMatchObject({ kind: 'too_large' });
  });
});
