import {
  type KnownVersion,
  PAGE_LIMIT_MAX,
  type SoftwareDetails,
  type SoftwareExportQuery,
  type SoftwareHold,
  type SoftwareItem,
  type SoftwareItemQuery,
  type SoftwareQuery,
  type SoftwareSort,
  type Total,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { listAsCsv } from '../../platform/csv-pages.ts';
import type { Database } from '../../platform/database/handles.ts';
import { decodeCursor, pageLimit, takePage, toTotal } from '../../platform/page.ts';
import { createHealthCache, readVersionHealth } from '../release-health/index.ts';
import { findSoftwareHolds } from '../rules/index.ts';
import { type CurrentUser, scopeOf } from '../site-access/index.ts';
import { listCountedVersions, listSavedVersions } from './known-versions.repository.ts';
import { mergeKnownVersions } from './merge-known-versions.ts';
import { SOFTWARE_CSV } from './software-csv.ts';
import { findItem, listVersions } from './software-item.repository.ts';
import { listSoftwarePage } from './software-list.repository.ts';

/** Reads the counts that the database keeps for all sites and for the sites of each user with access grants. */
export type SoftwareService = {
  list(
    user: CurrentUser,
    query: SoftwareQuery,
  ): Promise<{ software: SoftwareItem[]; next_cursor: string | null; total: Total }>;
  /** The list as a CSV file. */
  export(user: CurrentUser, query: SoftwareExportQuery): Promise<AsyncIterable<string>>;
  /** Throws 404 `software_not_found`, also if only sites that the user may not see have it. */
  show(user: CurrentUser, query: SoftwareItemQuery): Promise<SoftwareDetails>;
  /** The versions that sites of the user have, offer or keep, and those of the packages that the user may install. */
  listKnownVersions(user: CurrentUser, query: SoftwareItemQuery): Promise<KnownVersion[]>;
};

const isValidKey = (sort: SoftwareSort) => (key: string) =>
  sort === 'name' || /^\d{1,15}$/.test(key);

type Dependencies = {
  db: Database;
  clock: Clock;
  packages: {
    /** The versions of which the user may install an uploaded package. */
    listVersions(user: CurrentUser, item: SoftwareItemQuery): Promise<string[]>;
  };
};

export function createSoftwareService({ db, clock, packages }: Dependencies): SoftwareService {
  const cached = createHealthCache<Awaited<ReturnType<typeof readVersionHealth>>>({ clock });
  const findHolds = (user: CurrentUser, ids: number[]) =>
    findSoftwareHolds(db, ids, {
      scope: scopeOf(user),
      isOwner: user.role === 'owner',
      now: clock.now(),
    });

  const service: SoftwareService = {
    async listKnownVersions(user, query) {
      const scope = scopeOf(user);
      const [counted, saved, uploaded] = await Promise.all([
        listCountedVersions(db, scope, query),
        listSavedVersions(db, scope, query),
        packages.listVersions(user, query),
      ]);
      return mergeKnownVersions({ counted, saved, packages: uploaded });
    },

    async list(user, query) {
      const { sort = 'name', direction = 'asc', type, search, filter } = query;
      const listName = `software ${sort} ${direction}`;
      const limit = pageLimit(query);
      const after = decodeCursor(listName, query, isValidKey(sort));
      const filters = { scope: scopeOf(user), type, search, filter };
      const request = { sort, direction, after, limit: limit + 1 };
      const { rows, count } = await listSoftwarePage(db, filters, request);
      const { kept, next_cursor } = takePage(rows, limit, listName);
      const holds = await findHolds(
        user,
        kept.map(({ id }) => id),
      );
      const software = kept.map(({ key: _, id, ...item }) => ({
        ...item,
        ...toHoldsField(holds.get(id)),
      }));
      return { software, next_cursor, total: after ? null : toTotal(count) };
    },

    export: (user, query) =>
      listAsCsv(SOFTWARE_CSV, async (cursor) => {
        const page = { ...(cursor && { cursor }), limit: String(PAGE_LIMIT_MAX) };
        const { software, next_cursor } = await service.list(user, { ...query, ...page });
        return { items: software, next_cursor };
      }),

    async show(user, { type, slug }) {
      const scope = scopeOf(user);
      const item = await findItem(db, scope, { type, slug });
      if (!item) throw new AppError('software_not_found');
      const { id, version_count, ...fields } = item;
      const installed = await listVersions(db, scope, id);
      const query = { type, slug, softwareId: id, scope, now: clock.now() };
      const healthOf = await cached(`${scope} ${id}`, item.sites, () =>
        readVersionHealth(db, query, installed),
      );
      const versions = installed.map((each) => ({ ...each, health: healthOf(each.version) }));
      const holds = (await findHolds(user, [id])).get(id);
      const other_versions = version_count - versions.length;
      return { ...fields, versions, other_versions, ...toHoldsField(holds) };
    },
  };
  return service;
}

const toHoldsField = (holds: SoftwareHold[] | undefined) => (holds ? { holds } : {});
