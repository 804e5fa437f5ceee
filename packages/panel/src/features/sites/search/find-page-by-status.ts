import { SITE_STATUSES, type SiteStatus } from '@steward/contract';
import type { Database } from '../../../platform/database/handles.ts';
import type { Position } from '../../../platform/page.ts';
import { type FoundRow, findPage } from './find-page.ts';
import type { PageRequest } from './search.repository.ts';
import type { SiteQuery } from './site-query.ts';

/** Finds a page sorted by status, with the most urgent first, and by name within each status. */
export async function findPageByStatus(
  db: Database,
  statuses: readonly SiteStatus[],
  createStatusQuery: (status: SiteStatus) => SiteQuery,
  { order, after, limit }: Omit<PageRequest, 'sort'>,
): Promise<FoundRow[]> {
  const cursor = after && parseStatusPosition(after);
  const isAtOrAfterCursor = (status: SiteStatus) => {
    const distance = cursor ? SITE_STATUSES.indexOf(status) - cursor.rank : 0;
    return order === 'asc' ? distance >= 0 : distance <= 0;
  };
  const sortedStatuses = order === 'asc' ? statuses : statuses.toReversed();
  const rows: FoundRow[] = [];
  for (const status of sortedStatuses.filter(isAtOrAfterCursor)) {
    if (rows.length >= limit) break;
    const rank = SITE_STATUSES.indexOf(status);
    const startAfter = cursor?.rank === rank ? cursor : undefined;
    const request = { sort: 'name', order, after: startAfter, limit: limit - rows.length } as const;
    const page = await findPage(db, createStatusQuery(status), request);
    rows.push(...page.rows.map((row) => ({ ...row, key: `${rank} ${row.key}` })));
  }
  return rows;
}

function parseStatusPosition({ key, id }: Position) {
  const [rank = '', ...name] = key.split(' ');
  return { rank: Number(rank), key: name.join(' '), id };
}

export function isValidStatusKey(key: string): boolean {
  return /^\d .*$/s.test(key);
}
