import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import { lockSitesById, type SiteService } from '../sites/index.ts';
import { findActivationOfSite } from './activations.repository.ts';
import { deactivateSite } from './deactivate-site.ts';
import { lockLicense } from './licenses.repository.ts';
import { parseSiteUrl } from './parse-request.ts';
import { findSiteToArchive } from './site-archive.repository.ts';

export type ArchiveResult = { changed: number; not_found: number };

/**
 * Removes sites from all lists and counts, and keeps their runs, audit records and versions. Nothing changes on the
 * sites. A site that connects again is no longer archived.
 */
export type SiteArchiveService = {
  /** Also disconnects the sites, which frees their seats. */
  archive(siteIds: number[], origin: AuditOrigin): Promise<ArchiveResult>;
  /** Returns sites to the lists; they stay disconnected. */
  restore(siteIds: number[], origin: AuditOrigin): Promise<ArchiveResult>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  sites: Pick<SiteService, 'setArchived'>;
};

type Change = 'changed' | 'unchanged' | 'not_found';

export function createSiteArchiveService(deps: Dependencies): SiteArchiveService {
  const { db, clock, audit, sites } = deps;

  /** One transaction per site: a transaction of several sites and a report could deadlock on the counts of software. */
  async function changeEach(
    siteIds: number[],
    change: (trx: Trx, siteId: number) => Promise<Change>,
  ): Promise<ArchiveResult> {
    const result = { changed: 0, unchanged: 0, not_found: 0 };
    for (const siteId of new Set(siteIds)) {
      result[await db.transaction().execute((trx) => change(trx, siteId))]++;
    }
    return { changed: result.changed, not_found: result.not_found };
  }

  async function archiveSite(trx: Trx, siteId: number, origin: AuditOrigin): Promise<Change> {
    const licenseId = (await findSiteToArchive(trx, siteId))?.license_id;
    // The license is locked before the site, as in an activation.
    const license = licenseId === undefined ? undefined : await lockLicense(trx, { id: licenseId });
    const activation = license && (await findActivationOfSite(trx, license.id, siteId));
    if (!activation) return 'not_found';
    // Read again: the site may have connected meanwhile. Lock the site before its activation, as a report does; another
    // order could deadlock.
    await lockSitesById(trx, [siteId]);
    const current = await findSiteToArchive(trx, siteId);
    if (current?.archived_at !== null) return 'unchanged';
    const [site, now] = [parseSiteUrl(activation.site_url), clock.now()];
    const locked = { license, site, activation, now };
    await sites.setArchived(trx, siteId, now);
    await deactivateSite(trx, audit, origin, locked, { reason: 'archived' });
    await audit.record(trx, origin, buildAuditEntry('archive', siteId));
    return 'changed';
  }

  async function restoreSite(trx: Trx, siteId: number, origin: AuditOrigin): Promise<Change> {
    await lockSitesById(trx, [siteId]);
    const site = await findSiteToArchive(trx, siteId);
    if (!site) return 'not_found';
    if (site.archived_at === null) return 'unchanged';
    await sites.setArchived(trx, siteId, null);
    await audit.record(trx, origin, buildAuditEntry('unarchive', siteId));
    return 'changed';
  }

  return {
    archive: (siteIds, origin) =>
      changeEach(siteIds, (trx, siteId) => archiveSite(trx, siteId, origin)),
    restore: (siteIds, origin) =>
      changeEach(siteIds, (trx, siteId) => restoreSite(trx, siteId, origin)),
  };
}

const buildAuditEntry = (action: 'archive' | 'unarchive', siteId: number): AuditEntry => ({
  action,
  entityType: 'site',
  entityId: siteId,
  siteId,
});
