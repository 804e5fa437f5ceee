import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCsvLine } from './csv-line.ts';

describe('formatCsvLine', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['2026-06-01T11:54:00.000Z', '2026-06-01T11:54:00.000Z'],
    ['a-b@example.com', 'a-b@example.com'],
    ['{"n":-1,"to":"a=b"}', '"{""n"":-1,""to"":""a=b""}"'],
    ['Shop 1.0 → 2.0; Form 1.0', '"Shop 1.0 → 2.0; Form 1.0"'],
    ['a,b', '"a,b"'],
    ['say "yes"', '"say ""yes"""'],
  ])('keeps %j', (value, cell) => expect(formatCsvLine([value])).toBe(`${cell}\r\n`));

  it.each([
    ['=1+1', "'=1+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    [' =1', "' =1"],
    ['"=1"', '"\'""=1"""'],
    ['\tx', '"\'\tx"'],
    [';=1+1', '";\'=1+1"'],
    ['a; =1+1', '"a;\' =1+1"'],
    ['a;"=1+1', '"a;\'""=1+1"'],
    ['a\t=1', '"a\t\'=1"'],
    ['a\r\n=1', '"a\r\n\'=1"'],
    ['\r=1', '"\'\r\'=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ])('guards %j', (value, cell) => expect(formatCsvLine([value])).toBe(`${cell}\r\n`));

  it.each([
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['all of them', ',;\t'],
  ])('never yields a formula in a spreadsheet that splits at %s', (_, separators) => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        ';',
        ',',
        '"',
        "'",
        '\t',
        '\r',
        '\n',
        ' ',
        'a',
        '1',
      ),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (values) => {
        // The first column of an export is the id of the record.
        const text = formatCsvLine(['7', ...values]) + formatCsvLine(['6', ...values]);
        for (const cell of readCells(text, separators)) expect(cell).not.toMatch(/^ *[=+\-@]/);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Reads cells as a spreadsheet does: quotes count only at the start of a cell, text after them is added to it. */
function readCells(text: string, separators: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[at++];
        else break;
      }
      at++;
    }
    while (at < text.length && !`${separators}\r\n`.includes(text.charAt(at))) cell += text[at++];
    at++;
    cells.push(cell);
  }
  return cells;
}
