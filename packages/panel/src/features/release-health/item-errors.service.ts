import type { ItemError } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import {
  deleteOldErrors,
  listItemErrors,
  storeEmptyReport,
  storeItemErrors,
} from './item-errors.repository.ts';
import { isNewError } from './judge-watch.ts';
import { parseItemErrors } from './parse-item-errors.ts';
import { deleteOldWatches, listLastWatches } from './watches.repository.ts';

/** Receives the errors that sites report, and lists them. */
export type ItemErrorService = {
  /**
   * Stores the errors of a report; `body` is its field `item_errors`. `hasSiteKey`: the site has sent the report with its
   * site key. Returns whether anything but the time of the report changed.
   */
  receive(trx: Trx, siteId: number, body: unknown, from: { hasSiteKey: boolean }): Promise<boolean>;
  deleteOld(): Promise<void>;
};

export function createItemErrorService({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): ItemErrorService {
  return {
    async receive(trx, siteId, body, { hasSiteKey }) {
      const now = clock.now();
      const report = parseItemErrors(body, now);
      if (!report) return false;
      const { errors, hasDropped } = report;
      const state = { siteId, hasDropped, hasSiteKey, now };
      if (errors.length > 0) return storeItemErrors(trx, errors, state);
      await storeEmptyReport(trx, state);
      return false;
    },

    async deleteOld() {
      await deleteOldErrors(db, clock.now());
      await deleteOldWatches(db, clock.now());
    },
  };
}

/** Lists the errors of a site for its page, the last one first. The caller checks access to the site. */
export async function readItemErrors(db: Database, siteId: number): Promise<ItemError[]> {
  const errors = await listItemErrors(db, siteId);
  if (errors.length === 0) return [];
  const watches = await listLastWatches(db, siteId);
  return errors.map((error) => ({
    type: error.type,
    slug: error.slug,
    name: error.name,
    version: error.version,
    message: error.message,
    place: error.place,
    request_kind: error.request_kind,
    is_confirmed: error.is_confirmed,
    is_new: watches.some((watch) => isNewError(error, watch, { errors, watches })),
    count: error.count,
    first_at: error.first_at.toISOString(),
    last_at: error.last_at.toISOString(),
  }));
}
