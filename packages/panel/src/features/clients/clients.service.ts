import {
  CLIENTS_MAX,
  type ClientItem,
  type CreateClientRequest,
  type UpdateClientRequest,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { pickChanges } from '../../platform/pick-changes.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import { type CurrentUser, deleteGrantsOfClient, OPERATOR } from '../site-access/index.ts';
import {
  type ClientRow,
  insertClient,
  type LockedClient,
  listClients,
  lockAndCountClients,
  lockClient,
  updateClient,
} from './clients.repository.ts';
import type { MembershipService } from './memberships.service.ts';
import { parseClientFields } from './parse-client.ts';

/** The records of clients. Owners change them. Other users see the clients of their sites, and those granted to them. */
export type ClientService = {
  list(user: CurrentUser): Promise<ClientItem[]>;
  show(user: CurrentUser, id: number): Promise<ClientItem>;
  create(request: CreateClientRequest, origin: AuditOrigin): Promise<ClientItem>;
  update(id: number, request: UpdateClientRequest, origin: AuditOrigin): Promise<ClientItem>;
  /** Ends its memberships and the access that it gives. The past memberships stay. */
  archive(user: CurrentUser, id: number, origin: AuditOrigin): Promise<ClientItem>;
  restore(id: number, origin: AuditOrigin): Promise<ClientItem>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  memberships: MembershipService;
};

const DEFAULT_TIME_ZONE = 'UTC';

export function createClientService(deps: Dependencies): ClientService {
  const { db, clock, audit, memberships } = deps;

  return {
    list: async (user) => (await listClients(db, user)).map(toClient),

    show: findOrThrow,

    create: (request, origin) =>
      db.transaction().execute(async (trx) => {
        const fields = {
          ...{ contact_name: null, contact_email: null, time_zone: DEFAULT_TIME_ZONE },
          ...parseClientFields(request),
        };
        const { name = '' } = fields;
        if ((await lockAndCountClients(trx)) >= CLIENTS_MAX) throw new AppError('too_many_clients');
        const client = { ...fields, name, created_at: clock.now() };
        const id = await insertClient(trx, client).catch(throwIfNameTaken);
        await record(trx, origin, 'create', { id, name });
        return findOrThrow(OPERATOR, id, trx);
      }),

    update: (id, request, origin) =>
      db.transaction().execute(async (trx) => {
        const before = assertFound(await lockClient(trx, id));
        const change = pickChanges(parseClientFields(request), before);
        if (Object.keys(change).length > 0) {
          await updateClient(trx, id, change).catch(throwIfNameTaken);
          const name = change.name ?? before.name;
          const renamed = change.name !== undefined && { before: before.name };
          // Without the contact: records cannot be changed or deleted.
          const context = { ...renamed, changed: Object.keys(change) };
          await record(trx, origin, 'update', { id, name }, context);
        }
        return findOrThrow(OPERATOR, id, trx);
      }),

    archive: (user, id, origin) =>
      db.transaction().execute(async (trx) => {
        const client = assertFound(await lockClient(trx, id));
        if (client.archived_at === null) {
          const sites = await memberships.endAll(trx, user, client, origin);
          await updateClient(trx, id, { archived_at: clock.now() });
          const users = await deleteGrantsOfClient(trx, id);
          await record(trx, origin, 'archive', client, { sites });
          await audit.record(
            trx,
            origin,
            users.map((userId) => ({
              action: 'revoke',
              entityType: 'access',
              entityId: userId,
              context: { client: { id, name: client.name } },
            })),
          );
        }
        return findOrThrow(OPERATOR, id, trx);
      }),

    restore: (id, origin) =>
      db.transaction().execute(async (trx) => {
        const client = assertFound(await lockClient(trx, id));
        if (client.archived_at !== null) {
          await updateClient(trx, id, { archived_at: null });
          await record(trx, origin, 'restore', client);
        }
        return findOrThrow(OPERATOR, id, trx);
      }),
  };

  async function findOrThrow(
    user: CurrentUser,
    id: number,
    executor: Database = db,
  ): Promise<ClientItem> {
    const [row] = await listClients(executor, user, { id });
    if (!row) throw new AppError('client_not_found');
    return toClient(row);
  }

  async function record(
    trx: Trx,
    origin: AuditOrigin,
    action: AuditEntry<'client'>['action'],
    { id, name }: { id: number; name: string },
    context: Record<string, unknown> = {},
  ): Promise<void> {
    await audit.record(trx, origin, {
      action,
      entityType: 'client',
      entityId: id,
      context: { name, ...context },
    });
  }
}

function assertFound(client: LockedClient | undefined): LockedClient {
  if (!client) throw new AppError('client_not_found');
  return client;
}

const UNIQUE_VIOLATION = '23505';

function throwIfNameTaken(error: unknown): never {
  if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
  throw new AppError('client_exists', { cause: error });
}

function toClient({ created_at, archived_at, ...client }: ClientRow): ClientItem {
  return {
    ...client,
    created_at: created_at.toISOString(),
    archived_at: archived_at?.toISOString() ?? null,
  };
}
