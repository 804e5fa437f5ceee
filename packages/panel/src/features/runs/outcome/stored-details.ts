import type { BulkUpdateResponse } from '@steward/contract';

/** Limit for the details of one task: enough for a hundred failed updates with their errors. */
export const DETAILS_MAX_BYTES = 64 * 1024;

/** Truncates large details and adds a note. Failed items are kept first. The counts still cover all items. */
export function truncateDetails(details: BulkUpdateResponse): BulkUpdateResponse {
  if (bytesOf(details) <= DETAILS_MAX_BYTES) return details;
  const { results, errors } = details;
  const takeErrors = createTaker(DETAILS_MAX_BYTES / 3);
  const takeItems = createTaker(DETAILS_MAX_BYTES / 2);
  const plugins = takeItems(failedFirst(results.plugins));
  const themes = takeItems(failedFirst(results.themes));
  const translations = takeItems(failedFirst(results.translations ?? []));
  const shownItems = plugins.length + themes.length + translations.length;
  const allItems =
    results.plugins.length + results.themes.length + (results.translations?.length ?? 0);
  const note = `The response was too large to store: showing ${shownItems} of ${allItems} items.`;
  return {
    ...details,
    results: { ...results, plugins, themes, ...(results.translations && { translations }) },
    errors: [...takeErrors(errors), { type: 'system', slug: null, error: note }],
  };
}

/** Replaces oversized details that were stored before the limit existed. */
export const DETAILS_TOO_LARGE: BulkUpdateResponse = {
  success: false,
  results: { plugins: [], themes: [], core: null },
  errors: [{ type: 'system', slug: null, error: 'The stored response is too large to show.' }],
};

/** The returned function takes items while their total size stays within the limit. */
function createTaker(maxBytes: number) {
  let bytes = 0;
  return <Item>(items: Item[]): Item[] =>
    items.filter((item) => {
      const size = bytesOf(item);
      const fits = bytes + size <= maxBytes;
      if (fits) bytes += size;
      return fits;
    });
}

function failedFirst<Item extends { success: boolean }>(items: Item[]): Item[] {
  return items.toSorted((a, b) => Number(a.success) - Number(b.success));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
