import type {
  CreateUserRequest,
  PasswordLink,
  Role,
  UpdateUserRequest,
  UserSummary,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import { emailOf, nameFromEmail, nameOf, noSuchUser, typedEmail } from './identity.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import { assertAcceptablePassword } from './password-policy.ts';
import type { PasswordService } from './passwords.service.ts';
import type { PasswordHashing } from './passwords.ts';
import { listUsersWithSecondFactor } from './second-factor.repository.ts';
import { hasSecondFactor } from './second-factor-rule.ts';
import { deleteSessionsOf } from './sessions.repository.ts';
import { userSummary } from './user-view.ts';
import {
  findUser,
  hasUsers,
  holdEnabled,
  insertUser,
  listUsers,
  lockOwners,
  lockUser,
  storePasswordHash,
  type UserRow,
  updateUser,
} from './users.repository.ts';

/** Who may use the panel. Users are never deleted: the audit log speaks of them. */
export type UserService = {
  list(): Promise<UserSummary[]>;
  hasAny(): Promise<boolean>;
  findByEmail(email: string): Promise<UserSummary>;
  assertExists(db: Database, id: number): Promise<void>;
  /** Until the transaction ends, the user cannot be disabled. */
  assertEnabled(trx: Trx, id: number): Promise<void>;
  /** With a password, for whoever hands it over. */
  create(order: CreateUserRequest & { password: string }, origin: Origin): Promise<UserSummary>;
  /** With a link, where the new user chooses a password nobody else knows. */
  invite(
    order: CreateUserRequest,
    origin: Origin,
  ): Promise<{ user: UserSummary; password_link: PasswordLink }>;
  /** For those who make a user within a transaction of their own. */
  insert(trx: Trx, order: CreateUserRequest, origin: Origin): Promise<UserRow>;
  update(id: number, change: UpdateUserRequest, origin: Origin): Promise<UserSummary>;
};

/** Ends the queued tasks of a user who is disabled, and gives how many it has ended. */
export type CancelRunsOfUser = (trx: Trx, userId: number, origin: Origin) => Promise<number>;

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  links: OneTimeLinks;
  passwords: PasswordService;
  hashing: PasswordHashing;
  cancelRunsOfUser: CancelRunsOfUser;
};

export function createUserService(deps: Dependencies): UserService {
  const { db, clock, audit, links, passwords, hashing, cancelRunsOfUser } = deps;

  const service: UserService = {
    async list() {
      const withOne = await listUsersWithSecondFactor(db);
      return (await listUsers(db)).map((user) => userSummary(user, withOne.has(user.id)));
    },

    hasAny: () => hasUsers(db),

    async findByEmail(email) {
      const user = await findUser(db, { email: typedEmail(email) });
      if (user) return userSummary(user, await hasSecondFactor(db, user.id));
      throw new AppError('not_found', { message: `There is no user ${typedEmail(email)}.` });
    },

    async assertExists(on, id) {
      if (!(await findUser(on, { id }))) throw noSuchUser(id);
    },

    async assertEnabled(trx, id) {
      if (!(await holdEnabled(trx, id))) throw new AppError('account_disabled');
    },

    async create({ password, ...order }, origin) {
      await assertAcceptablePassword(password, order.email);
      const hash = await hashing.hash(password);
      return db.transaction().execute(async (trx) => {
        const user = await service.insert(trx, order, origin);
        await storePasswordHash(trx, user.id, hash, clock.now());
        return userSummary(user, false);
      });
    },

    invite: (order, origin) =>
      db.transaction().execute(async (trx) => {
        const user = await service.insert(trx, order, origin);
        const password_link = await passwords.issueLink(trx, user.id, origin);
        return { user: userSummary(user, false), password_link };
      }),

    async insert(trx, { email, name, role }, origin) {
      const address = emailOf(email);
      const now = clock.now();
      const user = await insertUser(trx, {
        email: address,
        name: name === undefined ? nameFromEmail(address) : nameOf(name),
        role,
        created_at: now,
        updated_at: now,
      });
      if (!user) throw new AppError('email_taken');
      // Once there is a user, the panel is set up.
      await links.voidSetup(trx);
      await audit.record(trx, origin, recordOf(user, 'create', { email: address, role }));
      return user;
    },

    update: (id, change, origin) =>
      db.transaction().execute(async (trx) => {
        // All owners are locked before anybody is looked at: two owners who demote each other at
        // the same moment must not both find the other one left.
        const owners = await lockOwners(trx);
        const user = await lockUser(trx, id);
        if (!user) throw noSuchUser(id);
        if (losesOwner(user, change) && owners.every((owner) => owner === id)) {
          throw new AppError('last_owner');
        }
        let changed = await changeProfile(trx, user, change, origin);
        if (change.disabled !== undefined && change.disabled !== (user.disabled_at !== null)) {
          changed = await (change.disabled ? disable : enable)(trx, user, origin);
        }
        return userSummary(changed, await hasSecondFactor(trx, id));
      }),
  };
  return service;

  /** Name and role; what stays as it is leaves no record. */
  async function changeProfile(
    trx: Trx,
    user: UserRow,
    change: UpdateUserRequest,
    origin: Origin,
  ): Promise<UserRow> {
    const name = change.name === undefined ? user.name : nameOf(change.name);
    const role: Role = change.role ?? user.role;
    if (name === user.name && role === user.role) return user;
    const changed = await updateUser(trx, user.id, { name, role, updated_at: clock.now() });
    const context = {
      ...(name !== user.name && { name: { from: user.name, to: name } }),
      ...(role !== user.role && { role: { from: user.role, to: role } }),
    };
    await audit.record(trx, origin, recordOf(user, 'update', context));
    return changed;
  }

  /**
   * The row is changed before the sessions go: a sign-in that is under way waits for it, and then
   * finds the account disabled.
   */
  async function disable(trx: Trx, user: UserRow, origin: Origin): Promise<UserRow> {
    const now = clock.now();
    const changed = await updateUser(trx, user.id, { disabled_at: now, updated_at: now });
    const sessionsEnded = await deleteSessionsOf(trx, user.id);
    await links.voidAllOf(trx, user.id);
    const tasksCancelled = await cancelRunsOfUser(trx, user.id, origin);
    const context = { sessions_ended: sessionsEnded, tasks_cancelled: tasksCancelled };
    await audit.record(trx, origin, recordOf(user, 'disable', context));
    return changed;
  }

  async function enable(trx: Trx, user: UserRow, origin: Origin): Promise<UserRow> {
    const changed = await updateUser(trx, user.id, { disabled_at: null, updated_at: clock.now() });
    await audit.record(trx, origin, recordOf(user, 'enable'));
    return changed;
  }
}

function losesOwner(user: UserRow, change: UpdateUserRequest): boolean {
  const isOwner = user.role === 'owner' && user.disabled_at === null;
  return isOwner && (change.disabled === true || (change.role ?? 'owner') !== 'owner');
}

function recordOf(user: UserRow, action: string, context?: Record<string, unknown>): AuditEntry {
  return { action, entityType: 'user', entityId: user.id, ...(context && { context }) };
}
