import type { AuditExportFormat, AuditRecord } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/tables.ts';
import { exportHead, exportLine } from './audit-export.ts';
import {
  type AuditFilter,
  findPosition,
  findPositionAfter,
  listRecords,
  listSiteNames,
  type Position,
  type RecordRow,
  type SiteName,
  searchRecords,
} from './audit-log.repository.ts';
import { planSearch } from './search-plan.ts';

export type { AuditFilter };

export type AuditPage = {
  records: AuditRecord[];
  /**
   * The record to go on from. Null: there is nothing older. A page may be short, or empty, and still
   * have one: where no index helps, it looks through so many records and no more.
   */
  next_before: number | null;
};

/** Reading the audit log, newest first. Who may read what of it is for the caller to know. */
export type AuditLog = {
  list(
    filter: AuditFilter,
    page: { before?: number | undefined; limit: number },
  ): Promise<AuditPage>;
  /** What the sites are called that these records tell of. */
  siteNames(records: AuditRecord[]): Promise<SiteName[]>;
  /** In pieces, each made when it is asked for: a download takes no more memory than a page. */
  export(filter: AuditFilter, format: AuditExportFormat): AsyncGenerator<string>;
};

type Dependencies = {
  db: Database;
  /** How many records one page looks through: for a text, and for what is frequent. */
  lookThrough?: { text: number; columns: number };
};

const EXPORT_PAGE_SIZE = 1000;

export function createAuditLog({ db, lookThrough }: Dependencies): AuditLog {
  const log: AuditLog = {
    async list(filter, { before, limit }) {
      const below = before === undefined ? undefined : await findPosition(db, before);
      if (before !== undefined && !below) {
        throw new AppError('invalid_request', { message: `before: there is no record ${before}.` });
      }
      // One more than asked for tells whether there is more.
      const { rows, lookedDownTo } = await find(filter, below, limit + 1);
      const records = rows.slice(0, limit).map(recordView);
      const hasMore = rows.length > limit;
      return { records, next_before: (hasMore ? records.at(-1)?.id : lookedDownTo?.id) ?? null };
    },

    siteNames(records) {
      const ids = new Set(records.flatMap(({ site_id }) => site_id ?? []));
      return ids.size === 0 ? Promise.resolve([]) : listSiteNames(db, [...ids]);
    },

    async *export(filter, format) {
      let text = exportHead(format);
      let before: number | undefined;
      do {
        const page = await log.list(filter, { before, limit: EXPORT_PAGE_SIZE });
        for (const record of page.records) text += exportLine(record, format);
        if (text !== '') yield text;
        text = '';
        before = page.next_before ?? undefined;
      } while (before !== undefined);
    },
  };
  return log;

  /** With the place where it stopped looking, if there is more below. */
  async function find(filter: AuditFilter, below: Position | undefined, limit: number) {
    const { indexed, scanned } = planSearch(filter, lookThrough);
    if (!scanned) return { rows: await listRecords(db, indexed, below, limit) };
    const rows = await searchRecords(db, indexed, scanned.filter, below, {
      lookThrough: scanned.lookThrough,
      limit,
    });
    if (rows.length === limit) return { rows };
    const lookedDownTo = await findPositionAfter(db, indexed, below, scanned.lookThrough);
    return { rows, lookedDownTo };
  }
}

function recordView(row: RecordRow): AuditRecord {
  return { ...row, at: row.at.toISOString() };
}
