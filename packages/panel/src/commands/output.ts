/** Writes the result to standard output. With --json, the output is exactly one document. */
export type Output = {
  printJson(value: unknown): void;
  printLine(line?: string): void;
  /** Pads each column to its widest cell. */
  printTable(header: string[], rows: string[][]): void;
};

export function createOutput(write: (text: string) => void): Output {
  const printLine = (line = '') => write(`${toTerminalText(line)}\n`);
  return {
    printJson: (value) => write(`${escapeControls(JSON.stringify(value, null, 2))}\n`),
    printLine,
    printTable(header, rows) {
      const cleaned = [header, ...rows].map((row) => row.map(toTerminalText));
      const widths = header.map((_, column) =>
        Math.max(...cleaned.map((row) => row[column]?.length ?? 0)),
      );
      for (const row of cleaned) {
        const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
        printLine(cells.join('  ').trimEnd());
      }
    },
  };
}

/** Control and format characters: the name of a plugin on a site could contain control sequences for the terminal. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** JSON escapes only the control characters below U+0020. */
const UNESCAPED_IN_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One line that a terminal shows as it is. */
export const toTerminalText = (text: string): string => text.replace(UNSAFE, '\ufffd');

/** Programs read the same text from the escaped form. */
function escapeControls(json: string): string {
  return json.replace(UNESCAPED_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
