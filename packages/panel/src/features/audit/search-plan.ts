import type { AuditFilter } from './audit-log.repository.ts';

/**
 * The values of most records. They are left out of the indexes, so that calls of sites write fewer index entries.
 * The migration that creates the indexes leaves out the same values.
 */
export const FREQUENT = {
  actor: ['system'],
  action: ['activate', 'deactivate', 'update'],
  entityType: ['activation', 'remote_update', 'remote_plugin'],
};

/** Splits a filter so that the time for one page is bounded. */
export type SearchPlan = {
  /** The part that an index serves. */
  indexed: AuditFilter;
  /** The part that needs a scan, limited to `scanLimit` records per page. Null: no scan. */
  scanned: { filter: AuditFilter; scanLimit: number } | null;
};

/** Each takes a few tenths of a second when no record matches. */
const SCAN_LIMITS = { text: 20_000, columns: 200_000 };

/**
 * Frequent values are usually found among the newest records. Without a limit, a filter with no match for years
 * would scan all those years.
 */
export function planSearch(filter: AuditFilter, scanLimit = SCAN_LIMITS): SearchPlan {
  const { text, actor, action, entityType, entityId, ...rest } = filter;
  const isSelective =
    rest.siteId !== undefined ||
    // An entity id is selective only together with its type.
    (entityId !== undefined && entityType !== undefined) ||
    isRare('actor', actor) ||
    isRare('action', action) ||
    isRare('entityType', entityType);
  const columns = { actor, action, entityType, entityId };
  const hasColumns = Object.values(columns).some((value) => value !== undefined);
  if (isSelective || !hasColumns) {
    const indexed = { ...rest, ...columns };
    if (text === undefined) return { indexed, scanned: null };
    return { indexed, scanned: { filter: { text }, scanLimit: scanLimit.text } };
  }
  return {
    indexed: rest,
    scanned: {
      filter: { ...columns, text },
      scanLimit: text === undefined ? scanLimit.columns : scanLimit.text,
    },
  };
}

function isRare(column: keyof typeof FREQUENT, value: string | undefined): boolean {
  return value !== undefined && !FREQUENT[column].includes(value);
}
