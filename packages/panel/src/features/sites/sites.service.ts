import { countPending, type Inventory, type SiteUrl } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { assessCall, type CallResult, RECONNECT_CODES } from './assess-call.ts';
import { parseOtherHostEndpoint, parseSameOriginEndpoint } from './endpoint-url.ts';
import { clearFault, type FaultChange, writeFaults } from './faults.repository.ts';
import {
  type Endpoint,
  type LastReport,
  lockEndpoint,
  readLastReport,
  resetProof,
  storeAddresses,
  updateSite,
  upsertSite,
} from './sites.repository.ts';

export type { LastReport };

/** An absent field means no change. */
export type SiteReport = {
  endpointUrl?: string | undefined;
  inventory?: Inventory | undefined;
};

export type SiteService = {
  /**
   * Inserts the site, or updates its address, and returns its id. `isNew` revokes an earlier approval of its endpoint.
   */
  register(
    trx: Trx,
    licenseId: number,
    site: SiteUrl,
    report: SiteReport & { isNew?: boolean },
  ): Promise<number>;
  storeReport(trx: Trx, siteId: number, site: SiteUrl, report: SiteReport): Promise<void>;
  /** Stores or clears the faults of sites according to the results of calls. */
  recordCalls(trx: Trx, results: CallResult[]): Promise<void>;
  /** Stores the IP addresses at which sites were called. */
  storeAddresses(trx: Trx, sites: { siteId: number; address: string }[]): Promise<void>;
  readLastReport(siteId: number): Promise<LastReport>;
};

export function createSiteService({ db, clock }: { db: Database; clock: Clock }): SiteService {
  async function store(trx: Trx, siteId: number, site: SiteUrl, report: SiteReport) {
    const { endpointUrl, inventory } = report;
    const before = endpointUrl === undefined ? null : await lockEndpoint(trx, siteId);
    const endpoint = before && resolveEndpoint(endpointUrl ?? '', site, before);
    await updateSite(trx, siteId, {
      ...endpoint,
      ...(inventory && { inventory: keepKnownFields(inventory), inventory_at: clock.now() }),
    });
    if (!endpoint) return;
    // The proof of address is valid for the former origin only.
    const hasMoved = originOf(endpoint.endpoint_url, site) !== originOf(before.endpoint_url, site);
    if (hasMoved) await resetProof(trx, siteId);
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
        await updateSite(trx, siteId, { endpoint_origin: null, requested_endpoint_url: null });
      }
      await store(trx, siteId, site, report);
      // These faults told the user to connect the site again, which has just happened.
      await clearFault(trx, siteId, { codes: RECONNECT_CODES });
      return siteId;
    },

    storeReport: async (trx, siteId, site, report) => {
      await store(trx, siteId, site, report);
      const { inventory } = report;
      if (inventory && countPending(inventory) === 0) {
        await clearFault(trx, siteId, { fault: 'failing' });
      }
    },

    recordCalls: async (trx, results) => {
      const changes = results.flatMap(faultChanges);
      if (changes.length > 0) await writeFaults(trx, changes, clock.now());
    },

    storeAddresses,

    readLastReport: (siteId) => readLastReport(db, siteId),
  };
}

/** An endpoint on another host is used only if an owner approved that host; otherwise it waits for approval. */
function resolveEndpoint(endpointUrl: string, site: SiteUrl, { endpoint_origin }: Endpoint) {
  const foreign = parseOtherHostEndpoint(endpointUrl, site.origin);
  if (!foreign) {
    const endpoint_url = parseSameOriginEndpoint(endpointUrl, site.origin);
    return { endpoint_url, requested_endpoint_url: null };
  }
  return foreign.origin === endpoint_origin
    ? { endpoint_url: foreign.href, requested_endpoint_url: null }
    : { endpoint_url: null, requested_endpoint_url: foreign.href };
}

/** The origin at which the panel calls the site. */
const originOf = (endpointUrl: string | null, site: SiteUrl): string =>
  new URL(endpointUrl ?? site.origin).origin;

function faultChanges(result: CallResult): FaultChange[] {
  const assessment = assessCall(result);
  if (assessment === 'inconclusive') return [];
  const call = { site_id: result.siteId, run_id: result.runId };
  if (typeof assessment === 'object') return [{ ...call, ...assessment, keeps_failing: false }];
  const none = { fault: null, code: null, error: null };
  return [{ ...call, ...none, keeps_failing: assessment === 'reachable' }];
}

/** Drops unknown fields: a newer plugin may send them, and they could contain anything. */
function keepKnownFields({ plugins, themes, core }: Inventory): Inventory {
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
