import type { AuditFilter } from './audit-log.repository.ts';

/**
 * Column values that most records have. The indexes exclude them, so that calls of sites write fewer index entries.
 * The list must match the migration that creates the indexes.
 */
export const FREQUENT_VALUES = {
  actor: ['system'],
  action: ['activate', 'deactivate', 'update'],
  entityType: ['activation', 'remote_update', 'remote_plugin'],
};

/** A filter in two parts, so that the time for one page is bounded. */
export type SearchPlan = {
  /** Conditions that an index serves. */
  indexed: AuditFilter;
  /** Conditions that need a scan of at most `scanLimit` records per page. Null: no scan. */
  scanned: { filter: AuditFilter; scanLimit: number } | null;
};

/** Maximum records scanned per page. A scan without a match then takes a few tenths of a second. */
const SCAN_LIMITS = { text: 20_000, columns: 200_000 };

/**
 * Decides which conditions an index serves and which need a scan. The limit keeps a filter with few matches from
 * scanning years of records. A frequent value usually has matches among the newest records.
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

function isRare(column: keyof typeof FREQUENT_VALUES, value: string | undefined): boolean {
  return value !== undefined && !FREQUENT_VALUES[column].includes(value);
}
