import type { BulkUpdateResponse } from '@steward/contract';

/** Of the details of one task. A hundred updates that failed, each with its sentence, fit. */
export const DETAILS_MAX_BYTES = 64 * 1024;

/** Failed items come first, and their errors. What is left out is said; the counts know all of it. */
export function detailsToStore(details: BulkUpdateResponse): BulkUpdateResponse {
  if (bytesOf(details) <= DETAILS_MAX_BYTES) return details;
  const { results, errors } = details;
  const forErrors = takeUpTo(DETAILS_MAX_BYTES / 3);
  const forItems = takeUpTo(DETAILS_MAX_BYTES / 2);
  const plugins = forItems(failedFirst(results.plugins));
  const themes = forItems(failedFirst(results.themes));
  const shown = plugins.length + themes.length;
  const all = results.plugins.length + results.themes.length;
  const cut = `The answer was too large to be stored: ${shown} of ${all} items are shown.`;
  return {
    ...details,
    results: { ...results, plugins, themes },
    errors: [...forErrors(errors), { type: 'system', slug: null, error: cut }],
  };
}

/** In place of details that were stored before they were cut. */
export const DETAILS_TOO_LARGE: BulkUpdateResponse = {
  success: false,
  results: { plugins: [], themes: [], core: null },
  errors: [{ type: 'system', slug: null, error: 'The stored answer is too large to be shown.' }],
};

function takeUpTo(maxBytes: number) {
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
