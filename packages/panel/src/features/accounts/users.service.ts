import type {
  AuditAction,
  CreateUserRequest,
  PasswordLink,
  Role,
  UpdateUserRequest,
  UserSummary,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import { assertAcceptablePassword } from './password-policy.ts';
import type { PasswordService } from './passwords.service.ts';
import type { PasswordHashing } from './passwords.ts';
import { listUsersWithSecondFactor } from './second-factor.repository.ts';
import { hasSecondFactor } from './second-factor-rule.ts';
import { deleteUserSessions } from './sessions.repository.ts';
import {
  deriveNameFromEmail,
  normalizeEmail,
  parseEmail,
  parseName,
  userNotFound,
} from './user-fields.ts';
import { toUserSummary } from './user-view.ts';
import {
  findPasswordHash,
  findUser,
  hasUsers,
  insertUser,
  listUsers,
  listUsersWithPassword,
  lockIfEnabled,
  lockOwners,
  lockUser,
  storePasswordHash,
  type UserRow,
  updateUser,
} from './users.repository.ts';

/** The users of the panel. Users are never deleted, because the audit log refers to them. */
export type UserService = {
  list(): Promise<UserSummary[]>;
  hasAny(): Promise<boolean>;
  findByEmail(email: string): Promise<UserSummary>;
  assertExists(db: Database, id: number): Promise<void>;
  /** Also keeps other requests from disabling the user until the transaction ends. */
  assertEnabled(trx: Trx, id: number): Promise<void>;
  /** Adds a user with a password. The operator gives the password to the user. */
  create(
    input: CreateUserRequest & { password: string },
    origin: AuditOrigin,
  ): Promise<UserSummary>;
  /** Adds a user and issues a link for choosing a password. */
  invite(
    input: CreateUserRequest,
    origin: AuditOrigin,
  ): Promise<{ user: UserSummary; password_link: PasswordLink }>;
  /** Adds a user within the caller's transaction. */
  insert(trx: Trx, input: CreateUserRequest, origin: AuditOrigin): Promise<UserRow>;
  update(id: number, change: UpdateUserRequest, origin: AuditOrigin): Promise<UserSummary>;
};

/** Cancels the queued tasks of a disabled user and returns their number. */
export type CancelRunsOfUser = (trx: Trx, userId: number, origin: AuditOrigin) => Promise<number>;

/** Revokes the access tokens of a disabled user and returns their number. */
export type RevokeTokensOfUser = (trx: Trx, userId: number, origin: AuditOrigin) => Promise<number>;

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  links: OneTimeLinks;
  passwords: PasswordService;
  hashing: PasswordHashing;
  cancelRunsOfUser: CancelRunsOfUser;
  revokeTokensOfUser: RevokeTokensOfUser;
};

export function createUserService(deps: Dependencies): UserService {
  const { db, clock, audit, links, passwords, hashing } = deps;

  const service: UserService = {
    async list() {
      const [withPassword, withSecondFactor] = await Promise.all([
        listUsersWithPassword(db),
        listUsersWithSecondFactor(db),
      ]);
      return (await listUsers(db)).map((user) =>
        toUserSummary(user, {
          hasPassword: withPassword.has(user.id),
          hasSecondFactor: withSecondFactor.has(user.id),
        }),
      );
    },

    hasAny: () => hasUsers(db),

    async findByEmail(email) {
      const user = await findUser(db, { email: normalizeEmail(email) });
      if (user) return summarize(db, user);
      throw new AppError('not_found', { message: `User ${normalizeEmail(email)} does not exist.` });
    },

    async assertExists(executor, id) {
      if (!(await findUser(executor, { id }))) throw userNotFound(id);
    },

    async assertEnabled(trx, id) {
      if (!(await lockIfEnabled(trx, id))) throw new AppError('account_disabled');
    },

    async create({ password, ...input }, origin) {
      await assertAcceptablePassword(password, input.email);
      const hash = await hashing.hash(password);
      return db.transaction().execute(async (trx) => {
        const user = await service.insert(trx, input, origin);
        await storePasswordHash(trx, user.id, hash, clock.now());
        return toUserSummary(user, { hasPassword: true, hasSecondFactor: false });
      });
    },

    invite: (input, origin) =>
      db.transaction().execute(async (trx) => {
        const user = await service.insert(trx, input, origin);
        const password_link = await passwords.issueLink(trx, user.id, origin);
        const state = { hasPassword: false, hasSecondFactor: false };
        return { user: toUserSummary(user, state), password_link };
      }),

    async insert(trx, { email, name, role }, origin) {
      const address = parseEmail(email);
      const now = clock.now();
      const user = await insertUser(trx, {
        email: address,
        name: name === undefined ? deriveNameFromEmail(address) : parseName(name),
        role,
        created_at: now,
        updated_at: now,
      });
      if (!user) throw new AppError('email_taken');
      // The setup is complete when a user exists.
      await links.voidSetupLinks(trx);
      await audit.record(trx, origin, buildAuditEntry(user, 'create', { email: address, role }));
      return user;
    },

    update: (id, change, origin) =>
      db.transaction().execute(async (trx) => {
        // Lock all owners first: when two owners demote each other at the same time, one owner must remain.
        const owners = await lockOwners(trx);
        const user = await lockUser(trx, id);
        if (!user) throw userNotFound(id);
        if (removesOwner(user, change) && owners.every((owner) => owner === id)) {
          throw new AppError('last_owner');
        }
        let changed = await changeProfile(trx, user, change, origin);
        if (change.disabled !== undefined && change.disabled !== (user.disabled_at !== null)) {
          changed = await (change.disabled ? disable : enable)(trx, user, origin);
        }
        return summarize(trx, changed);
      }),
  };
  return service;

  async function summarize(executor: Database, user: UserRow): Promise<UserSummary> {
    const hasPassword = (await findPasswordHash(executor, { userId: user.id })) !== null;
    const state = { hasPassword, hasSecondFactor: await hasSecondFactor(executor, user.id) };
    return toUserSummary(user, state);
  }

  /** Changes name and role. Writes no audit record when nothing changes. */
  async function changeProfile(
    trx: Trx,
    user: UserRow,
    change: UpdateUserRequest,
    origin: AuditOrigin,
  ): Promise<UserRow> {
    const name = change.name === undefined ? user.name : parseName(change.name);
    const role: Role = change.role ?? user.role;
    if (name === user.name && role === user.role) return user;
    const changed = await updateUser(trx, user.id, { name, role, updated_at: clock.now() });
    const context = {
      ...(name !== user.name && { name: { from: user.name, to: name } }),
      ...(role !== user.role && { role: { from: user.role, to: role } }),
    };
    await audit.record(trx, origin, buildAuditEntry(user, 'update', context));
    return changed;
  }

  /**
   * Updates the row before deleting the sessions: a concurrent sign-in waits for the row and then finds the account
   * disabled.
   */
  async function disable(trx: Trx, user: UserRow, origin: AuditOrigin): Promise<UserRow> {
    const now = clock.now();
    const changed = await updateUser(trx, user.id, { disabled_at: now, updated_at: now });
    const sessionsEnded = await deleteUserSessions(trx, user.id);
    await links.voidUserLinks(trx, user.id);
    const tokensRevoked = await deps.revokeTokensOfUser(trx, user.id, origin);
    const tasksCancelled = await deps.cancelRunsOfUser(trx, user.id, origin);
    const context = {
      sessions_ended: sessionsEnded,
      tokens_revoked: tokensRevoked,
      tasks_cancelled: tasksCancelled,
    };
    await audit.record(trx, origin, buildAuditEntry(user, 'disable', context));
    return changed;
  }

  async function enable(trx: Trx, user: UserRow, origin: AuditOrigin): Promise<UserRow> {
    const changed = await updateUser(trx, user.id, { disabled_at: null, updated_at: clock.now() });
    await audit.record(trx, origin, buildAuditEntry(user, 'enable'));
    return changed;
  }
}

function removesOwner(user: UserRow, change: UpdateUserRequest): boolean {
  const isOwner = user.role === 'owner' && user.disabled_at === null;
  return isOwner && (change.disabled === true || (change.role ?? 'owner') !== 'owner');
}

function buildAuditEntry(
  user: UserRow,
  action: AuditAction<'user'>,
  context?: Record<string, unknown>,
): AuditEntry {
  return { action, entityType: 'user', entityId: user.id, ...(context && { context }) };
}
