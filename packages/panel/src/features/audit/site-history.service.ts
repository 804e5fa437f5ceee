import { HISTORY_PAGE_SIZE, type HistoryRecord, type PanelUser, roleMay } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { listNames } from './record-names.repository.ts';
import { findClientOfSite, findLicenseOfSite, listSiteRecords } from './site-history.repository.ts';

export type HistoryPage = { history: HistoryRecord[]; next_before: number | null };

/** The history of a site from the audit log. The caller checks access to the site. */
export type SiteHistoryService = {
  read(user: Pick<PanelUser, 'role'>, siteId: number, before?: number): Promise<HistoryPage>;
};

type ClientChange = { action: string; context: Record<string, unknown> };

/** Records that only owners see: access grants, and attempts of users without access. */
const HIDDEN_FROM_NON_OWNERS = { entityTypes: ['access'], codes: ['site_not_found'] };
const NOTHING_HIDDEN = { entityTypes: [], codes: [] };

export function createSiteHistoryService({ db }: { db: Database }): SiteHistoryService {
  return {
    async read(user, siteId, before) {
      const rows = await listSiteRecords(db, siteId, {
        before,
        limit: HISTORY_PAGE_SIZE + 1,
        hidden: roleMay(user.role, 'owner') ? NOTHING_HIDDEN : HIDDEN_FROM_NON_OWNERS,
      });
      const page = rows.slice(0, HISTORY_PAGE_SIZE);
      const licenseNames = await findLicenseNames(user, siteId, page);
      const showContext = await createClientFilter(user, siteId, page);
      return {
        history: page.map((row) => ({
          ...row,
          at: row.at.toISOString(),
          context: showContext(row),
          license_name: licenseNames.get(Number(row.context.license_id)) ?? null,
        })),
        next_before: rows.length > HISTORY_PAGE_SIZE ? (page.at(-1)?.id ?? null) : null,
      };
    },
  };

  /** Only owners see all clients; others see the name of the client that their site has now. */
  async function createClientFilter(
    user: Pick<PanelUser, 'role'>,
    siteId: number,
    rows: { action: string }[],
  ): Promise<(row: ClientChange) => Record<string, unknown>> {
    const isClientChange = ({ action }: { action: string }) => action === 'set_client';
    if (roleMay(user.role, 'owner') || !rows.some(isClientChange)) return ({ context }) => context;
    const current = await findClientOfSite(db, siteId);
    const hide = (client: unknown) =>
      client === null || (client as { id?: unknown }).id === current ? client : {};
    return (row) =>
      isClientChange(row)
        ? { ...row.context, before: hide(row.context.before), after: hide(row.context.after) }
        : row.context;
  }

  /** Only owners see licenses; others see the name of the license that their site has now. */
  async function findLicenseNames(
    user: Pick<PanelUser, 'role'>,
    siteId: number,
    rows: { context: Record<string, unknown> }[],
  ): Promise<Map<number, string | null>> {
    const ids = new Set(
      rows.map(({ context }) => Number(context.license_id)).filter(Number.isSafeInteger),
    );
    if (ids.size === 0) return new Map();
    const current = await findLicenseOfSite(db, siteId);
    const seen = [...ids].filter((id) => roleMay(user.role, 'owner') || id === current);
    const names = await listNames(db, 'license', seen);
    return new Map(names.map(({ id, name }) => [id, name]));
  }
}
