import type { BulkUpdateResponse } from '@steward/contract';

/** Limit for the details of one task: enough for a hundred failed updates with their errors. */
export const DETAILS_MAX_BYTES = 64 * 1024;

/**
 * Truncates large details and adds a note. Failed items are kept first. `TaskResult.counts` is computed before and covers
 * all items.
 */
export function truncateDetails(details: BulkUpdateResponse): BulkUpdateResponse {
  if (bytesOf(details) <= DETAILS_MAX_BYTES) return details;
  // The notes of the task describe the checked pages.
  const { results, errors, checked: _, ...rest } = details;
  const { plugins, themes, translations } = results;
  const all = [...plugins, ...themes, ...(translations ?? [])];
  const kept = new Set<Item>(takeFirst(failedFirst(all), DETAILS_MAX_BYTES / 2));
  const keep = <T extends Item>(items: T[]) => failedFirst(items).filter((item) => kept.has(item));
  const note = `The response was too large to store: showing ${kept.size} of ${all.length} items.`;
  return {
    ...rest,
    results: {
      ...results,
      plugins: keep(plugins),
      themes: keep(themes),
      ...(translations && { translations: keep(translations) }),
    },
    errors: [
      ...takeFirst(errors, DETAILS_MAX_BYTES / 3),
      { type: 'system', slug: null, error: note },
    ],
  };
}

/** Replaces oversized details that were stored before the limit existed. */
export const DETAILS_TOO_LARGE: BulkUpdateResponse = {
  success: false,
  results: { plugins: [], themes: [], core: null },
  errors: [{ type: 'system', slug: null, error: 'The stored response is too large to show.' }],
};

/** Takes the items that fit into `maxBytes` together, the first ones first. */
function takeFirst<Item>(items: Item[], maxBytes: number): Item[] {
  let bytes = 0;
  return items.filter((item) => {
    const size = bytesOf(item);
    const fits = bytes + size <= maxBytes;
    if (fits) bytes += size;
    return fits;
  });
}

type Item = { success: boolean };

const failedFirst = <T extends Item>(items: T[]): T[] => [
  ...items.filter(({ success }) => !success),
  ...items.filter(({ success }) => success),
];

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
