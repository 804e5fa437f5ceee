import { siteAddress } from '../../lib/site-name.ts';

export type ParsedAddresses = {
  /** Without duplicates, in the order of the text. */
  addresses: string[];
  /** Lines without an address, except the first one, which may be a header. */
  invalid: string[];
};

const SEPARATORS = /[,;\t]/;

/** Reads one address per line: a pasted list, or a CSV file, such as the list of sites that MainWP exports. */
export function parseAddresses(text: string): ParsedAddresses {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const found = new Map<string, string>();
  const invalid: string[] = [];
  lines.forEach((line, index) => {
    if (line === '') return;
    const address = findAddress(line);
    if (address) found.set(siteAddress(address).toLowerCase(), address);
    else if (index > 0 || !SEPARATORS.test(line)) invalid.push(line);
  });
  return { addresses: [...found.values()], invalid };
}

/** A name can look like a host, such as "Node.js", so a cell with a scheme comes first. */
function findAddress(line: string): string | undefined {
  const cells = line.split(SEPARATORS).map((cell) => cell.trim().replace(/^"|"$/g, ''));
  return (
    cells.find((cell) => /^https?:\/\/[^\s"'<>]+$/i.test(cell) && URL.canParse(cell)) ??
    cells.find((cell) => /^([a-z0-9-]+\.)+[a-z][a-z0-9-]*(:\d+)?(\/[^\s"'<>]*)?$/i.test(cell))
  );
}
