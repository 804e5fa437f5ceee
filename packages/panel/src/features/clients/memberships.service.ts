import type { SetClientRequest, UpdateSiteRequest } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import {
  type CurrentUser,
  isVisibleTo,
  listUsersOfClients,
  OPERATOR,
} from '../site-access/index.ts';
import { assertMayChangeAccess, lockSites, setSiteTexts } from '../sites/index.ts';
import { shareVisibleClient } from './clients.repository.ts';
import { endMemberships, listSitesOfClient, startMemberships } from './memberships.repository.ts';
import { parseName } from './parse-client.ts';

type Client = { id: number; name: string };

/** Which client a site belongs to. A site has at most one; the earlier ones stay in the history. */
export type MembershipService = {
  /** Null: the sites belong to no client. Ignores sites that the user may not see. */
  setClient(
    user: CurrentUser,
    request: SetClientRequest,
    origin: AuditOrigin,
  ): Promise<{ changed: number; not_found: number }>;
  /** Changes the display name, the note and the client of one site together. */
  updateSite(
    user: CurrentUser,
    siteId: number,
    request: UpdateSiteRequest,
    origin: AuditOrigin,
  ): Promise<void>;
  /** Ends all memberships of a client that the caller has locked, and returns their number. */
  endAll(trx: Trx, user: CurrentUser, client: Client, origin: AuditOrigin): Promise<number>;
};

type Dependencies = { db: Database; clock: Clock; audit: AuditService };

export function createMembershipService({ db, clock, audit }: Dependencies): MembershipService {
  return {
    setClient: (user, { site_ids, client_id }, origin) =>
      db.transaction().execute(async (trx) => {
        const client = await findClient(trx, user, client_id);
        const requested = [...new Set(site_ids)];
        const visible = await lockSites(trx, isVisibleTo(user, 's'), requested);
        const changed = await move(trx, user, visible, client, origin);
        return { changed, not_found: requested.length - visible.length };
      }),

    updateSite: (user, siteId, { display_name, note, client_id }, origin) =>
      db.transaction().execute(async (trx) => {
        const client = client_id === undefined ? null : await findClient(trx, user, client_id);
        const [lockedId] = await lockSites(trx, isVisibleTo(user, 's'), [siteId]);
        if (lockedId === undefined) throw new AppError('site_not_found');
        // The client first: the locks of its tag come before those of a changed name.
        if (client_id !== undefined) await move(trx, user, [siteId], client, origin);
        const changes = await setSiteTexts(trx, siteId, {
          ...(display_name !== undefined && {
            display_name: parseName('display_name', display_name),
          }),
          ...(note !== undefined && { note: note?.trim() || null }),
        });
        const entry = { entityType: 'site', entityId: siteId, siteId } as const;
        await audit.record(
          trx,
          origin,
          changes.map((change) => ({ ...entry, ...change })),
        );
      }),

    async endAll(trx, user, client, origin) {
      const members = await listSitesOfClient(trx, client.id);
      const locked = await lockSites(trx, isVisibleTo(OPERATOR, 's'), members);
      return move(trx, user, locked, null, origin, client.id);
    },
  };

  /** Of sites that the caller has locked. With `onlyFrom`, only those that still belong to this client. */
  async function move(
    trx: Trx,
    user: CurrentUser,
    siteIds: number[],
    client: Client | null,
    origin: AuditOrigin,
    onlyFrom?: number,
  ): Promise<number> {
    const now = clock.now();
    const ended = await endMemberships(
      trx,
      siteIds,
      { except: client?.id ?? null, only: onlyFrom ?? null },
      now,
    );
    const started = client === null ? [] : await startMemberships(trx, siteIds, client.id, now);
    const before = new Map(
      ended.map(({ site_id, client_id, client_name }) => [
        site_id,
        { id: client_id, name: client_name },
      ]),
    );
    const changed = [...new Set([...before.keys(), ...started])];
    const clientIds = new Set(ended.map(({ client_id }) => client_id));
    if (client && started.length > 0) clientIds.add(client.id);
    await assertMayChangeAccess(
      trx,
      () => listUsersOfClients(trx, [...clientIds]),
      (name) => `add sites to the client ${name} or remove them`,
      { user, origin, now },
    );
    await audit.record(
      trx,
      origin,
      changed.map((siteId) => ({
        action: 'set_client',
        entityType: 'site',
        entityId: siteId,
        siteId,
        context: { before: before.get(siteId) ?? null, after: client && toReference(client) },
      })),
    );
    return changed.length;
  }
}

const toReference = ({ id, name }: Client): Client => ({ id, name });

async function findClient(trx: Trx, user: CurrentUser, id: number | null): Promise<Client | null> {
  if (id === null) return null;
  const client = await shareVisibleClient(trx, user, id);
  if (!client) throw new AppError('client_not_found');
  if (client.archived_at !== null) throw new AppError('client_archived');
  return client;
}
