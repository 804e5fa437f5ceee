import type { AuditExportFormat, AuditName, AuditRecord } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/handles.ts';
import { formatExportHeader, formatExportRecord, type NamedRecord } from './audit-export.ts';
import {
  type AuditFilter,
  type Cursor,
  findCursor,
  findCursorAfter,
  listRecords,
  type RecordRow,
  searchRecords,
} from './audit-log.repository.ts';
import { findCompleteFrom } from './detached-records.ts';
import { addNames, findNames } from './record-names.ts';
import { planSearch } from './search-plan.ts';

export type { AuditFilter };

export type AuditPage = {
  records: AuditRecord[];
  /**
   * The cursor of the next page. Null: no older records. Even an empty page can have a next page, because a page scans
   * only a limited number of records.
   */
  next_before: number | null;
};

/** Reads the audit log, newest first. The caller checks permissions. */
export type AuditLog = {
  list(
    filter: AuditFilter,
    page: { before?: number | undefined; limit: number },
  ): Promise<AuditPage>;
  /** Lists the current names of the entities in these records. */
  listNames(records: AuditRecord[]): Promise<AuditName[]>;
  /** Adds these names to the records. */
  addNames(records: AuditRecord[]): Promise<NamedRecord[]>;
  /** The time from which on the log is complete. Null: no records were detached. */
  findCompleteFrom(): Promise<string | null>;
  /** Yields one page at a time, so that an export needs no more memory than one page. */
  export(filter: AuditFilter, format: AuditExportFormat): AsyncGenerator<string>;
};

type Dependencies = {
  db: Database;
  /** Maximum records scanned per page, for a text and for frequent column values. */
  scanLimit?: { text: number; columns: number };
};

const EXPORT_PAGE_SIZE = 1000;

export function createAuditLog({ db, scanLimit }: Dependencies): AuditLog {
  const log: AuditLog = {
    async list(filter, { before, limit }) {
      const cursor = before === undefined ? undefined : await findCursor(db, before);
      if (before !== undefined && !cursor) {
        throw new AppError('invalid_request', {
          message: `before: record ${before} does not exist.`,
        });
      }
      // One extra row shows whether another page exists.
      const { rows, scanEnd } = await findRows(filter, cursor, limit + 1);
      const records = rows.slice(0, limit).map(toAuditRecord);
      const hasMore = rows.length > limit;
      return { records, next_before: (hasMore ? records.at(-1)?.id : scanEnd?.id) ?? null };
    },

    listNames: (records) => findNames(db, records),
    addNames: (records) => addNames(db, records),
    findCompleteFrom: () => findCompleteFrom(db),

    async *export(filter, format) {
      let text = formatExportHeader(format);
      let before: number | undefined;
      do {
        const page = await log.list(filter, { before, limit: EXPORT_PAGE_SIZE });
        for (const record of await addNames(db, page.records)) {
          text += formatExportRecord(record, format);
        }
        if (text !== '') yield text;
        text = '';
        before = page.next_before ?? undefined;
      } while (before !== undefined);
    },
  };
  return log;

  /** `scanEnd`: cursor of the last scanned record, if the scan stopped at its limit. */
  async function findRows(filter: AuditFilter, cursor: Cursor | undefined, limit: number) {
    const { indexed, scanned } = planSearch(filter, scanLimit);
    if (!scanned) return { rows: await listRecords(db, indexed, cursor, limit) };
    const rows = await searchRecords(db, indexed, scanned.filter, cursor, {
      scanLimit: scanned.scanLimit,
      limit,
    });
    if (rows.length === limit) return { rows };
    const scanEnd = await findCursorAfter(db, indexed, cursor, scanned.scanLimit);
    return { rows, scanEnd };
  }
}

function toAuditRecord(row: RecordRow): AuditRecord {
  return { ...row, at: row.at.toISOString() };
}
