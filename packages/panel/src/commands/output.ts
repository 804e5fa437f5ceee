/** Writes the result to standard output. With --json, the output is exactly one document. */
export type Output = {
  printJson(value: unknown): void;
  printLine(line?: string): void;
  /** Pads each column to its widest cell. */
  printTable(header: string[], rows: string[][]): void;
};

export function createOutput(write: (text: string) => void): Output {
  const printLine = (line = '') => write(`${line}\n`);
  return {
    printJson: (value) => printLine(JSON.stringify(value, null, 2)),
    printLine,
    printTable(header, rows) {
      const widths = header.map((title, column) =>
        Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
      );
      for (const row of [header, ...rows]) {
        const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
        printLine(cells.join('  ').trimEnd());
      }
    },
  };
}
