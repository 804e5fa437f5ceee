import type { Inventory, SiteUrl } from '@steward/contract';
import type { Database, Trx } from '../../database/tables.ts';
import type { Clock } from '../../lib/clock.ts';
import { usableEndpointUrl } from './endpoint-url.ts';
import { readInventory, updateSite, upsertSite } from './sites.repository.ts';

/** What a site tells about itself. Left out means: no news. */
export type SiteReport = {
  endpointUrl?: string | undefined;
  inventory?: Inventory | undefined;
};

export type SiteService = {
  /** Makes the site known to the panel, or refreshes its address, and gives its id. */
  register(trx: Trx, licenseId: number, site: SiteUrl, report: SiteReport): Promise<number>;
  storeReport(trx: Trx, siteId: number, site: SiteUrl, report: SiteReport): Promise<void>;
  /** What the site has reported last. */
  inventoryOf(siteId: number): Promise<Inventory | null>;
};

export function createSiteService({ db, clock }: { db: Database; clock: Clock }): SiteService {
  const changesIn = (site: SiteUrl, { endpointUrl, inventory }: SiteReport) => ({
    ...(endpointUrl !== undefined && { endpoint_url: usableEndpointUrl(endpointUrl, site.origin) }),
    ...(inventory !== undefined && {
      inventory: knownFields(inventory),
      inventory_at: clock.now(),
    }),
  });

  return {
    register: (trx, licenseId, site, report) => {
      const address = { url: site.given, ...changesIn(site, report) };
      const found = {
        license_id: licenseId,
        canonical_url: site.canonical,
        created_at: clock.now(),
      };
      return upsertSite(trx, { ...found, ...address }, address);
    },

    storeReport: async (trx, siteId, site, report) => {
      const changes = changesIn(site, report);
      if (Object.keys(changes).length > 0) await updateSite(trx, siteId, changes);
    },

    inventoryOf: (siteId) => readInventory(db, siteId),
  };
}

/** What a newer plugin may have added is ignored, and so is whatever hides in an unknown field. */
function knownFields({ plugins, themes, core }: Inventory): Inventory {
  const pending = ({ new_version }: { new_version?: string }) =>
    new_version === undefined ? {} : { new_version };
  const state = (item: Inventory['plugins'][number] | Inventory['themes'][number]) => ({
    name: item.name,
    version: item.version,
    active: item.active,
    ...pending(item),
  });
  return {
    plugins: plugins.map((item) => ({ plugin: item.plugin, ...state(item) })),
    themes: themes.map((item) => ({ slug: item.slug, ...state(item) })),
    core: { version: core.version, ...pending(core) },
  };
}
