import { formatCsvLine } from './csv-line.ts';

type Page<Item> = { items: Item[]; next_cursor: string | null };

/** A list as a CSV file, one page of the list at a time. */
export async function listAsCsv<Item>(
  csv: { header: string[]; toCells: (item: Item) => string[] },
  read: (cursor: string | null) => Promise<Page<Item>>,
): Promise<AsyncIterable<string>> {
  // Before the response starts, so that an invalid query is an error.
  const first = await read(null);
  return (async function* () {
    yield formatCsvLine(csv.header);
    for (let page = first; ; page = await read(page.next_cursor)) {
      yield page.items.map((item) => formatCsvLine(csv.toCells(item))).join('');
      if (page.next_cursor === null) return;
    }
  })();
}
