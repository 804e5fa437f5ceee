import { countPending, type Inventory, type SiteUrl } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { type CallResult, findingOf, NEEDS_CONNECTING } from './call-findings.ts';
import { foreignEndpointUrl, usableEndpointUrl } from './endpoint-url.ts';
import { clearFault, type FaultNews, writeFaults } from './faults.repository.ts';
import {
  type Endpoint,
  forgetProof,
  type LastReport,
  lockEndpoint,
  readLastReport,
  storeAddresses,
  updateSite,
  upsertSite,
} from './sites.repository.ts';

export type { LastReport };

/** What a site tells about itself. Left out means: no news. */
export type SiteReport = {
  endpointUrl?: string | undefined;
  inventory?: Inventory | undefined;
};

export type SiteService = {
  /**
   * Makes the site known to the panel, or refreshes its address, and gives its id. `isNew`: what was approved for it
   * before does not count any more.
   */
  register(
    trx: Trx,
    licenseId: number,
    site: SiteUrl,
    report: SiteReport & { isNew?: boolean },
  ): Promise<number>;
  storeReport(trx: Trx, siteId: number, site: SiteUrl, report: SiteReport): Promise<void>;
  /** Keeps what calls to sites have found wrong, or forgets what they have found to be over. */
  noteCalls(trx: Trx, results: CallResult[]): Promise<void>;
  /** Keeps where sites were when they were called. */
  storeAddresses(trx: Trx, sites: { siteId: number; address: string }[]): Promise<void>;
  /** What the site has reported last, and when. */
  lastReportOf(siteId: number): Promise<LastReport>;
};

export function createSiteService({ db, clock }: { db: Database; clock: Clock }): SiteService {
  async function store(trx: Trx, siteId: number, site: SiteUrl, report: SiteReport) {
    const { endpointUrl, inventory } = report;
    const before = endpointUrl === undefined ? null : await lockEndpoint(trx, siteId);
    const endpoint = before && endpointChanges(endpointUrl ?? '', site, before);
    await updateSite(trx, siteId, {
      ...endpoint,
      ...(inventory && { inventory: knownFields(inventory), inventory_at: clock.now() }),
    });
    if (!endpoint) return;
    // The proof was made at the other one.
    const hasMoved = originOf(endpoint.endpoint_url, site) !== originOf(before.endpoint_url, site);
    if (hasMoved) await forgetProof(trx, siteId);
  }

  return {
    register: async (trx, licenseId, site, { isNew = false, ...report }) => {
      const found = {
        license_id: licenseId,
        canonical_url: site.canonical,
        url: site.given,
        created_at: clock.now(),
      };
      const siteId = await upsertSite(trx, found, { url: site.given });
      if (isNew) {
        await updateSite(trx, siteId, { endpoint_origin: null, wanted_endpoint_url: null });
      }
      await store(trx, siteId, site, report);
      // Connected again is what somebody was told to do about it.
      await clearFault(trx, siteId, { codes: NEEDS_CONNECTING });
      return siteId;
    },

    storeReport: async (trx, siteId, site, report) => {
      await store(trx, siteId, site, report);
      const { inventory } = report;
      if (inventory && countPending(inventory) === 0) {
        await clearFault(trx, siteId, { fault: 'failing' });
      }
    },

    noteCalls: async (trx, results) => {
      const news = results.flatMap(newsOf);
      if (news.length > 0) await writeFaults(trx, news, clock.now());
    },

    storeAddresses,

    lastReportOf: (siteId) => readLastReport(db, siteId),
  };
}

/** At another host only where that host is approved; else the site waits for it. */
function endpointChanges(endpointUrl: string, site: SiteUrl, { endpoint_origin }: Endpoint) {
  const foreign = foreignEndpointUrl(endpointUrl, site.origin);
  if (!foreign) {
    const endpoint_url = usableEndpointUrl(endpointUrl, site.origin);
    return { endpoint_url, wanted_endpoint_url: null };
  }
  return foreign.origin === endpoint_origin
    ? { endpoint_url: foreign.href, wanted_endpoint_url: null }
    : { endpoint_url: null, wanted_endpoint_url: foreign.href };
}

/** Where a site is called. */
const originOf = (endpointUrl: string | null, site: SiteUrl): string =>
  new URL(endpointUrl ?? site.origin).origin;

function newsOf(result: CallResult): FaultNews[] {
  const finding = findingOf(result);
  if (finding === 'nothing') return [];
  const about = { site_id: result.siteId, run_id: result.runId };
  if (typeof finding === 'object') return [{ ...about, ...finding, keeps_failing: false }];
  const none = { fault: null, code: null, error: null };
  return [{ ...about, ...none, keeps_failing: finding === 'answers' }];
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
