import type { GrantedAccess } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { UserService } from '../accounts/index.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import {
  deleteGrants,
  findVisibleSiteIds,
  type GrantedTag,
  type GrantRow,
  insertGrants,
  listClientGrants,
  listExistingLicenses,
  listExistingSites,
  listLicenseGrants,
  listSiteGrants,
  listTagGrants,
  listTagsByName,
  listTagsOfClients,
  type TargetIds,
} from './site-access.repository.ts';
import type { CurrentUser } from './visible-sites.ts';

export type { CurrentUser };

/** The target of a grant. A license or client covers all its sites, a tag all sites that have it, now and later. */
export type GrantTarget =
  | { siteId: number }
  | { licenseId: number }
  | { tag: string }
  | { clientId: number };
export type GrantTargets = GrantTarget | GrantTarget[];

/** Decides which sites a user may see. The role decides whether the user may also change them; see the routes. */
export type SiteAccessService = {
  /** Returns the ids of existing sites that the user may see. */
  filterVisible(user: CurrentUser, siteIds: number[]): Promise<Set<number>>;
  canSee(user: CurrentUser, siteId: number): Promise<boolean>;
  /** Throws 404 `site_not_found`, both for a site that the user may not see and for one that does not exist. */
  assertCanSee(user: CurrentUser, siteId: number): Promise<void>;

  list(userId: number): Promise<GrantedAccess>;
  /** Idempotent. Adds no grants if a target does not exist. */
  grant(userId: number, targets: GrantTargets, origin: AuditOrigin): Promise<GrantedAccess>;
  /** Idempotent: ignores targets without a grant, except with `mustExist`. */
  revoke(
    userId: number,
    targets: GrantTargets,
    origin: AuditOrigin,
    options?: { mustExist?: boolean },
  ): Promise<GrantedAccess>;

  /** Lists the grants of the bot user of an access token. */
  listOfBot(botId: number): Promise<GrantedAccess>;
  /** Grants access to a bot user. If `creator` has no access to a target, throws as if the target did not exist. */
  grantToBot(
    trx: Trx,
    creator: CurrentUser,
    botId: number,
    targets: GrantTargets,
  ): Promise<GrantedAccess>;
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
    async filterVisible(user, siteIds) {
      return new Set(await findVisibleSiteIds(db, user, siteIds));
    },

    async canSee(user, siteId) {
      return (await findVisibleSiteIds(db, user, [siteId])).length > 0;
    },

    async assertCanSee(user, siteId) {
      if (!(await service.canSee(user, siteId))) throw new AppError('site_not_found');
    },

    async list(userId) {
      await users.assertExists(db, userId);
      return readGrants(db, userId);
    },

    listOfBot: (botId) => readGrants(db, botId),

    async grantToBot(trx, creator, botId, targets) {
      const found = await findTargets(trx, targets);
      const own = creator.role === 'owner' ? found : await keepOwn(trx, creator, found);
      assertAllFound(targets, own);
      await insertGrants(trx, botId, found.ids, clock.now());
      return readGrants(trx, botId);
    },

    grant: (userId, targets, origin) =>
      db.transaction().execute(async (trx) => {
        await users.assertExists(trx, userId);
        const found = await findTargets(trx, targets);
        assertAllFound(targets, found);
        const added = await insertGrants(trx, userId, found.ids, clock.now());
        await audit.record(trx, origin, buildAuditEntries('grant', userId, added, found.tags));
        return readGrants(trx, userId);
      }),

    revoke: (userId, targets, origin, { mustExist = false } = {}) =>
      db.transaction().execute(async (trx) => {
        await users.assertExists(trx, userId);
        const { ids, tags } = await findTargets(trx, targets);
        const removed = await deleteGrants(trx, userId, ids);
        if (mustExist && removed.length === 0) {
          throw new AppError('not_found', {
            message: 'The user has no such access grant. Nothing was revoked.',
          });
        }
        await audit.record(trx, origin, buildAuditEntries('revoke', userId, removed, tags));
        return readGrants(trx, userId);
      }),
  };
  return service;

  async function readGrants(executor: Database, userId: number): Promise<GrantedAccess> {
    const sites = await listSiteGrants(executor, userId);
    const licenses = await listLicenseGrants(executor, userId);
    const tags = await listTagGrants(executor, userId);
    const clients = await listClientGrants(executor, userId);
    return {
      sites: sites.map(toGrant),
      licenses: licenses.map(toGrant),
      tags: tags.map(toGrant),
      clients: clients.map(toGrant),
    };
  }
}

type FoundTargets = { ids: TargetIds; tags: GrantedTag[] };

async function findTargets(trx: Trx, targets: GrantTargets): Promise<FoundTargets> {
  const { siteIds, licenseIds, tagNames, clientIds } = splitTargets(targets);
  const tags = [
    ...(await listTagsByName(trx, tagNames)),
    ...(await listTagsOfClients(trx, clientIds)),
  ];
  const ids = {
    siteIds: await listExistingSites(trx, siteIds),
    licenseIds: await listExistingLicenses(trx, licenseIds),
    tagIds: tags.map(({ id }) => id),
  };
  return { ids, tags };
}

/** A manager must not learn from the response which other sites, licenses, tags and clients exist. */
async function keepOwn(
  trx: Trx,
  user: CurrentUser,
  { ids, tags }: FoundTargets,
): Promise<FoundTargets> {
  const licenses = new Set((await listLicenseGrants(trx, user.id)).map((each) => each.license_id));
  const tagNames = new Set((await listTagGrants(trx, user.id)).map(({ tag }) => tag));
  const clients = new Set((await listClientGrants(trx, user.id)).map((each) => each.client_id));
  const ownTags = tags.filter(({ name, client_id }) =>
    client_id === null ? tagNames.has(name) : clients.has(client_id),
  );
  return {
    ids: {
      siteIds: await findVisibleSiteIds(trx, user, ids.siteIds),
      licenseIds: ids.licenseIds.filter((id) => licenses.has(id)),
      tagIds: ownTags.map(({ id }) => id),
    },
    tags: ownTags,
  };
}

function splitTargets(targets: GrantTargets) {
  const list = [targets].flat();
  return {
    siteIds: list.flatMap((target) => ('siteId' in target ? [target.siteId] : [])),
    licenseIds: list.flatMap((target) => ('licenseId' in target ? [target.licenseId] : [])),
    tagNames: list.flatMap((target) => ('tag' in target ? [target.tag.trim()] : [])),
    clientIds: list.flatMap((target) => ('clientId' in target ? [target.clientId] : [])),
  };
}

function assertAllFound(targets: GrantTargets, { ids, tags }: FoundTargets): void {
  const { siteIds, licenseIds, tagNames, clientIds } = splitTargets(targets);
  const missingSite = siteIds.find((id) => !ids.siteIds.includes(id));
  if (missingSite !== undefined) throw new AppError('site_not_found');
  const missingLicense = licenseIds.find((id) => !ids.licenseIds.includes(id));
  if (missingLicense !== undefined) {
    throw new AppError('not_found', { message: `License ${missingLicense} does not exist.` });
  }
  const found = new Set(
    tags.flatMap(({ name, client_id }) => (client_id === null ? [name.toLowerCase()] : [])),
  );
  const missingTag = tagNames.find((tag) => !found.has(tag.toLowerCase()));
  if (missingTag !== undefined) {
    throw new AppError('not_found', { message: `The tag ${missingTag} does not exist.` });
  }
  const missingClient = clientIds.find((id) => !tags.some(({ client_id }) => client_id === id));
  if (missingClient !== undefined) {
    throw new AppError('client_not_found', { message: `Client ${missingClient} does not exist.` });
  }
}

function toGrant<Row extends { created_at: Date }>({ created_at, ...grant }: Row) {
  return { ...grant, granted_at: created_at.toISOString() };
}

function buildAuditEntries(
  action: 'grant' | 'revoke',
  userId: number,
  grants: GrantRow[],
  tags: GrantedTag[],
): AuditEntry[] {
  return grants.map(({ site_id, license_id, tag_id }) => ({
    action,
    entityType: 'access',
    entityId: userId,
    ...(site_id !== null && { siteId: site_id }),
    ...(license_id !== null && { context: { license_id } }),
    ...(tag_id !== null && { context: describeTag(tags.find(({ id }) => id === tag_id)) }),
  }));
}

function describeTag(tag: GrantedTag | undefined): Record<string, unknown> {
  const { name, client_id: id } = tag ?? {};
  return typeof id === 'number' ? { client: { id, name } } : { tag: name };
}
