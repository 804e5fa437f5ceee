import {
  type BackupStateReport,
  countPending,
  findBackupTime,
  type Inventory,
  type PreflightReport,
  type SiteUrl,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { pickChanges } from '../../platform/pick-changes.ts';
import { isTimeZone } from '../../platform/time-zone.ts';
import { assessCall, type CallResult, RECONNECT_CODES } from './assess-call.ts';
import { toStoredBackups } from './backup-report.ts';
import { applyReportedEndpoint, decideEndpoint } from './decide-endpoint.ts';
import {
  clearFault,
  clearNotReachable,
  type FaultChange,
  lockPingedSites,
  markNotReachable,
  writeFaults,
} from './faults.repository.ts';
import { toStoredPreflight } from './preflight-report.ts';
import {
  findEndpointRecord,
  type LastReport,
  lockSitesById,
  lockStoredSettings,
  readLastReport,
  storeIpAddresses,
  storeRepeatedReport,
  storeSlowness,
  updateSite,
  upsertSite,
} from './sites.repository.ts';
import { hashInventory, keepKnownFields } from './stored-inventory.ts';
import { trimVersions } from './trim-versions.ts';

export type { LastReport };

/** Absent fields stay unchanged. */
export type SiteReport = {
  endpointUrl?: string | undefined;
  inventory?: Inventory | undefined;
  preflight?: PreflightReport | undefined;
  backupState?: BackupStateReport | undefined;
  timeZone?: string | undefined;
};

export type SiteService = {
  /**
   * Inserts the site or updates its address. Then stores the report and returns the id of the site. A new activation
   * revokes an earlier approval of an endpoint, and restores an archived site. `hasOtherServer`: the login for the web server
   * is deleted.
   */
  register(
    trx: Trx,
    licenseId: number,
    site: SiteUrl,
    report: SiteReport & { isNewActivation?: boolean; hasOtherServer?: boolean },
  ): Promise<number>;
  /**
   * Returns whether the report changed something that the panel stores, other than the time, the preflight and the backups.
   * `beforeChange` is called before a changed inventory is written.
   */
  storeReport(
    trx: Trx,
    siteId: number,
    site: SiteUrl,
    report: SiteReport,
    beforeChange: () => Promise<void>,
  ): Promise<boolean>;
  /** Stores or clears the faults of sites according to the results of calls, and whether these lasted long, if known. */
  recordCalls(trx: Trx, results: (CallResult & { isSlow?: boolean | undefined })[]): Promise<void>;
  /** Stores or clears the fault `not_reachable` of sites according to pings. */
  recordPings(
    trx: Trx,
    pings: { down: { siteId: number; code: string; error: string }[]; up: number[] },
  ): Promise<void>;
  /**
   * `at` is null to restore the site. Call this for only one site per transaction: with two, the transaction and a
   * report could deadlock on the counts of software.
   */
  setArchived(trx: Trx, siteId: number, at: Date | null): Promise<void>;
  /** Stores the IP addresses at which sites were called. */
  storeIpAddresses(trx: Trx, sites: { siteId: number; address: string }[]): Promise<void>;
  /** Stores whether the last calls to sites lasted long. */
  storeSlowness(trx: Trx, sites: { siteId: number; isSlow: boolean }[]): Promise<void>;
  readLastReport(siteId: number): Promise<LastReport>;
  /** Returns the endpoint at which the panel calls the site (null: there is none yet), and the license of the site. */
  readEndpoint(siteId: number): Promise<{ callUrl: string | null; licenseId: number }>;
};

export function createSiteService({ db, clock }: { db: Database; clock: Clock }): SiteService {
  /** Returns whether a setting or the inventory has changed. */
  async function storeFields(
    trx: Trx,
    siteId: number,
    site: SiteUrl,
    report: SiteReport,
    beforeChange?: () => Promise<void>,
  ): Promise<boolean> {
    const { endpointUrl, timeZone } = report;
    const hasSettings = endpointUrl !== undefined || timeZone !== undefined;
    const stored = hasSettings ? await lockStoredSettings(trx, siteId) : null;
    const endpoint =
      stored && endpointUrl !== undefined ? applyReportedEndpoint(endpointUrl, site, stored) : null;
    const settings = {
      ...endpoint,
      // The panel keeps the zone that it knows if the site reports no valid one.
      ...(timeZone !== undefined && isTimeZone(timeZone) && { time_zone: timeZone }),
    };
    const now = clock.now();
    const content = toStoredContent(report, now);
    const { inventoryHash, preflight, backups } = content;
    // Most reports repeat the stored inventory.
    const isStored =
      inventoryHash !== undefined &&
      (await storeRepeatedReport(trx, siteId, { inventoryHash, preflight, backups }, now));
    const isNewInventory = inventoryHash !== undefined && !isStored;
    if (isNewInventory) await beforeChange?.();
    const changedSettings = stored ? pickChanges(settings, stored) : {};
    await updateSite(trx, siteId, {
      ...changedSettings,
      ...(!isStored && toColumns(content, now)),
    });
    return isNewInventory || Object.keys(changedSettings).length > 0;
  }

  return {
    register: async (trx, licenseId, site, options) => {
      const { isNewActivation = false, hasOtherServer = false, ...report } = options;
      const newSite = {
        license_id: licenseId,
        canonical_url: site.canonical,
        url: site.given,
        created_at: clock.now(),
      };
      const { id: siteId, isNew } = await upsertSite(trx, newSite, {
        url: site.given,
        ...(isNewActivation && {
          approved_endpoint_url: null,
          requested_endpoint_url: null,
          archived_at: null,
        }),
        ...(hasOtherServer && { web_login_encrypted: null }),
      });
      await storeFields(trx, siteId, site, report);
      // Connecting the site again resolves these faults.
      if (!isNew) await clearFault(trx, siteId, { codes: RECONNECT_CODES });
      return siteId;
    },

    storeReport: async (trx, siteId, site, report, beforeChange) => {
      const isChanged = await storeFields(trx, siteId, site, report, beforeChange);
      const { inventory } = report;
      if (inventory && countPending(inventory) === 0) {
        await clearFault(trx, siteId, { fault: 'failing' });
      }
      return isChanged;
    },

    recordCalls: async (trx, results) => {
      const locked = await lockSitesById(
        trx,
        results.map(({ siteId }) => siteId),
      );
      const wasSlow = new Map(locked.map(({ id, is_slow }) => [id, is_slow]));
      const timed = results.flatMap(({ siteId, isSlow }) =>
        isSlow === undefined || isSlow === wasSlow.get(siteId) ? [] : [{ siteId, isSlow }],
      );
      await storeSlowness(trx, timed);
      const changes = results.flatMap(toFaultChanges);
      if (changes.length > 0) await writeFaults(trx, changes, clock.now());
    },

    recordPings: async (trx, { down, up }) => {
      if (down.length > 0 && up.length > 0) {
        await lockPingedSites(
          trx,
          down.map(({ siteId }) => siteId),
          up,
        );
      }
      if (down.length > 0) await markNotReachable(trx, down, clock.now());
      if (up.length > 0) await clearNotReachable(trx, up);
    },

    setArchived: (trx, siteId, at) => updateSite(trx, siteId, { archived_at: at }),

    storeIpAddresses,

    storeSlowness,

    readLastReport: (siteId) => readLastReport(db, siteId),

    async readEndpoint(siteId) {
      const record = await findEndpointRecord(db, siteId);
      if (!record) throw new AppError('site_not_activated');
      return { callUrl: decideEndpoint(record).callUrl, licenseId: record.license_id };
    },
  };
}

/** The inventory, the preflight and the backups of a report, as the panel stores them. */
function toStoredContent(report: SiteReport, now: Date) {
  const reported = report.inventory && trimVersions(report.inventory);
  const preflight = report.preflight && toStoredPreflight(report.preflight, reported);
  const inventory = reported && keepKnownFields(reported);
  const backups = report.backupState && toStoredBackups(report.backupState, now);
  return { inventory, inventoryHash: inventory && hashInventory(inventory), preflight, backups };
}

/** The columns that store the content of a report. */
function toColumns(
  { inventory, inventoryHash, preflight, backups }: ReturnType<typeof toStoredContent>,
  now: Date,
) {
  return {
    ...(inventory && { inventory, inventory_hash: inventoryHash, inventory_at: now }),
    ...(preflight && { preflight, preflight_at: now }),
    ...(backups && {
      backups: JSON.stringify(backups),
      backed_up_at: findBackupTime(backups),
    }),
  };
}

function toFaultChanges(result: CallResult): FaultChange[] {
  const assessment = assessCall(result);
  if (assessment === 'inconclusive') return [];
  const call = { site_id: result.siteId, run_id: result.runId };
  if (typeof assessment === 'object') return [{ ...call, ...assessment, keeps_failing: false }];
  const noFault = { fault: null, code: null, error: null };
  return [{ ...call, ...noFault, keeps_failing: assessment === 'reachable' }];
}
