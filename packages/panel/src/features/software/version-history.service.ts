import type { VersionAtTime, VersionChangeItem } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { decodeCursor, type PageRequest, pageLimit, takePage } from '../../platform/page.ts';
import { parseIsoTime } from '../../platform/parse-iso-time.ts';
import { listVersionChanges, listVersionsAt } from './version-history.repository.ts';

/** Reads which versions a site had, and when they changed. The caller checks access to the site. */
export type VersionHistoryService = {
  /** If `at` is undefined, reads the current versions. */
  readAt(
    siteId: number,
    at: string | undefined,
  ): Promise<{ at: string; software: VersionAtTime[] }>;
  readChanges(
    siteId: number,
    page: PageRequest,
  ): Promise<{ changes: VersionChangeItem[]; next_cursor: string | null }>;
};

const LIST_NAME = 'version changes';

type Dependencies = { db: Database; clock: Clock };

export function createVersionHistoryService({ db, clock }: Dependencies): VersionHistoryService {
  return {
    async readAt(siteId, at) {
      const time = at === undefined ? clock.now() : parseTime(at);
      const rows = await listVersionsAt(db, siteId, time);
      return {
        at: time.toISOString(),
        software: rows.map((row) => ({ ...row, since: row.since.toISOString() })),
      };
    },

    async readChanges(siteId, page) {
      const limit = pageLimit(page);
      // The list is sorted by id alone, so the sort key of its cursors is empty.
      const after = decodeCursor(LIST_NAME, page, (key) => key === '');
      const rows = await listVersionChanges(db, siteId, { beforeId: after?.id, limit: limit + 1 });
      const keyed = rows.map((row) => ({ ...row, key: '' }));
      const { kept, next_cursor } = takePage(keyed, limit, LIST_NAME);
      const changes = kept.map(({ key: _, id: __, at, ...change }) => ({
        at: at.toISOString(),
        ...change,
      }));
      return { changes, next_cursor };
    },
  };
}

function parseTime(text: string): Date {
  const time = parseIsoTime(text);
  if (time) return time;
  throw new AppError('invalid_request', {
    message: 'at must be a date (2027-01-31) or a date and time (2027-01-31T12:00:00Z).',
  });
}
