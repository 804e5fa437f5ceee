/** Formats one line of a CSV file (RFC 4180). */
export function formatCsvLine(cells: string[]): string {
  return `${cells.map(formatCsvCell).join(',')}\r\n`;
}

/**
 * A position at which a spreadsheet may begin a cell with a formula: the start of the value, and each semicolon, tab and
 * line break in it. A spreadsheet that splits at semicolons or tabs ignores the quotes around the value, because they
 * are in the middle of its own cells. It removes quotes at the start of its cells, and some remove spaces.
 */
const FORMULA_START = /(^|[;\t\r\n])(?=["\p{Zs}]*[=+\-@＝＋－＠])/gu;

/** Also applies to negative numbers: the log has none, and a number is a valid start of a formula. */
function formatCsvCell(value: string): string {
  // An apostrophe keeps spreadsheets from running the rest as a formula.
  const guarded = value.replace(FORMULA_START, "$1'");
  const text = /^[\t\r\n]/.test(value) ? `'${guarded}` : guarded;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
