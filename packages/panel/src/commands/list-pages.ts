import { PAGE_LIMIT_MAX } from '@steward/contract';

type Page<T> = { items: T[]; next_cursor: string | null };

/** Reads pages until it has `limit` items. `hasMore`: the panel has more items. */
export async function listPages<T>(
  limit: number,
  readPage: (query: { limit: string; cursor?: string }) => Promise<Page<T>>,
): Promise<{ items: T[]; hasMore: boolean }> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const size = Math.min(limit - items.length, PAGE_LIMIT_MAX);
    const page = await readPage({ limit: String(size), ...(cursor !== null && { cursor }) });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && items.length < limit);
  return { items, hasMore: cursor !== null };
}
