/**
 * Returns the faults of the tables of a page that end with the column "Test": names of files that no test run includes.
 * In the sections `required`, each table needs that column, and each row needs a test.
 */
export function findTestFaults(
  page: string,
  { required, isRun }: { required: string[]; isRun(path: string): boolean },
): string[] {
  const faults: string[] = [];
  let section = '';
  let lastColumn: string | null = null;
  const isRequired = () => required.includes(section);
  for (const [index, line] of page.split('\n').entries()) {
    const report = (fault: string) => faults.push(`line ${index + 1}: ${fault}`);
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (!line.startsWith('|')) {
      lastColumn = null;
      continue;
    }
    const lastCell =
      line
        .replace(/\|\s*$/, '')
        .split('|')
        .at(-1)
        ?.trim() ?? '';
    if (lastColumn === null) {
      lastColumn = lastCell;
      if (isRequired() && lastColumn !== 'Test') report('the table has no column "Test"');
    } else if (lastColumn === 'Test' && !/^[-:\s|]+$/.test(line)) {
      const paths = [...lastCell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
      if (isRequired() && paths.length === 0) report('names no test');
      for (const path of paths) if (!isRun(path)) report(`${path} is not a test that runs`);
    }
  }
  return faults;
}
