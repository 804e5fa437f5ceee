import type { AuditFilter } from './audit-log.repository.ts';

/**
 * What most records are. These have no index of their own, so that the calls of sites have fewer to
 * write; a migration leaves out the same.
 */
export const FREQUENT = {
  actor: ['system'],
  action: ['activate', 'deactivate', 'update'],
  entityType: ['activation', 'remote_update', 'remote_plugin'],
};

/** How a page is found without ever reading more than a page's worth of time allows. */
export type SearchPlan = {
  /** What an index leads to. */
  indexed: AuditFilter;
  /** What can only be looked for in record after record, in so many at a time. Null: nothing. */
  scanned: { filter: AuditFilter; lookThrough: number } | null;
};

/** Each some tenths of a second, where not one record of them matches. */
const LOOK_THROUGH = { text: 20_000, columns: 200_000 };

/**
 * Frequent things are found at once among the newest records, as a rule. But where there were none
 * for years, the search would go through all those years.
 */
export function planSearch(filter: AuditFilter, lookThrough = LOOK_THROUGH): SearchPlan {
  const { text, actor, action, entityType, entityId, ...rest } = filter;
  const isSelective =
    rest.siteId !== undefined ||
    // An id says something only together with what it is the id of.
    (entityId !== undefined && entityType !== undefined) ||
    isRare('actor', actor) ||
    isRare('action', action) ||
    isRare('entityType', entityType);
  const columns = { actor, action, entityType, entityId };
  const hasColumns = Object.values(columns).some((value) => value !== undefined);
  if (isSelective || !hasColumns) {
    const indexed = { ...rest, ...columns };
    if (text === undefined) return { indexed, scanned: null };
    return { indexed, scanned: { filter: { text }, lookThrough: lookThrough.text } };
  }
  return {
    indexed: rest,
    scanned: {
      filter: { ...columns, text },
      lookThrough: text === undefined ? lookThrough.columns : lookThrough.text,
    },
  };
}

function isRare(column: keyof typeof FREQUENT, value: string | undefined): boolean {
  return value !== undefined && !FREQUENT[column].includes(value);
}
