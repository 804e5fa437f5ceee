import type { GrantedAccess } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { UserService } from '../accounts/index.ts';
import type { AuditService } from '../audit/index.ts';
import {
  deleteGrant,
  findVisibleSiteIds,
  type GrantTarget,
  insertGrant,
  listLicenseGrants,
  listSiteGrants,
  targetExists,
} from './site-access.repository.ts';
import type { CurrentUser } from './visible-sites.ts';

export type { CurrentUser, GrantTarget };

/** Decides which sites a user may see. The role decides whether the user may also change them; see the routes. */
export type SiteAccessService = {
  /** Returns the ids of existing sites that the user may see. */
  visible(user: CurrentUser, siteIds: number[]): Promise<Set<number>>;
  canSee(user: CurrentUser, siteId: number): Promise<boolean>;
  /** Throws 404 `site_not_found`, both for a site without access and for one that does not exist. */
  assertCanSee(user: CurrentUser, siteId: number): Promise<void>;

  list(userId: number): Promise<GrantedAccess>;
  /** Idempotent. */
  grant(userId: number, target: GrantTarget, origin: AuditOrigin): Promise<GrantedAccess>;
  revoke(userId: number, target: GrantTarget, origin: AuditOrigin): Promise<GrantedAccess>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  users: Pick<UserService, 'assertExists'>;
};

export function createSiteAccessService(deps: Dependencies): SiteAccessService {
  const { db, clock, audit, users } = deps;

  const service: SiteAccessService = {
    async visible(user, siteIds) {
      return new Set(await findVisibleSiteIds(db, user, siteIds));
    },

    async canSee(user, siteId) {
      return (await findVisibleSiteIds(db, user, [siteId])).length > 0;
    },

    async assertCanSee(user, siteId) {
      if (!(await service.canSee(user, siteId))) throw new AppError('site_not_found');
    },

    list: (userId) => readGrants(db, userId),

    grant: (userId, target, origin) =>
      db.transaction().execute(async (trx) => {
        await users.assertExists(trx, userId);
        if (!(await targetExists(trx, target))) throw targetNotFound(target);
        const isNew = await insertGrant(trx, userId, target, clock.now());
        if (isNew) await audit.record(trx, origin, buildAuditEntry('grant', userId, target));
        return readGrants(trx, userId);
      }),

    revoke: (userId, target, origin) =>
      db.transaction().execute(async (trx) => {
        await users.assertExists(trx, userId);
        const wasDeleted = await deleteGrant(trx, userId, target);
        if (wasDeleted) await audit.record(trx, origin, buildAuditEntry('revoke', userId, target));
        return readGrants(trx, userId);
      }),
  };
  return service;

  async function readGrants(executor: Database, userId: number): Promise<GrantedAccess> {
    await users.assertExists(executor, userId);
    const [sites, licenses] = [
      await listSiteGrants(executor, userId),
      await listLicenseGrants(executor, userId),
    ];
    return { sites: sites.map(toGrant), licenses: licenses.map(toGrant) };
  }
}

function toGrant<Row extends { created_at: Date }>({ created_at, ...grant }: Row) {
  return { ...grant, granted_at: created_at.toISOString() };
}

function buildAuditEntry(action: 'grant' | 'revoke', userId: number, target: GrantTarget) {
  return {
    action,
    entityType: 'access',
    entityId: userId,
    ...('siteId' in target
      ? { siteId: target.siteId }
      : { context: { license_id: target.licenseId } }),
  };
}

function targetNotFound(target: GrantTarget): AppError {
  if ('siteId' in target) return new AppError('site_not_found');
  return new AppError('not_found', { message: `License ${target.licenseId} does not exist.` });
}
