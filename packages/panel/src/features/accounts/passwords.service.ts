import type { ChangePasswordRequest, PasswordLink } from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import { assertAcceptablePassword } from './password-policy.ts';
import type { PasswordThrottle } from './password-throttle.ts';
import type { PasswordHashing } from './passwords.ts';
import { deleteUserSessions } from './sessions.repository.ts';
import { userNotFound } from './user-fields.ts';
import {
  findPasswordHash,
  findUser,
  lockUser,
  storePasswordHash,
  type UserRow,
} from './users.repository.ts';

/** All ways to replace a password. A new password voids the user's links. Each change writes an audit record. */
export type PasswordService = {
  /** Changes the user's own password after checking the current one. The current session stays valid. */
  change(signedIn: SignedIn, request: ChangePasswordRequest, origin: AuditOrigin): Promise<void>;
  /** Checks the user's current password. Throws `wrong_password` (403) when it is wrong. */
  verifyOwn(signedIn: SignedIn, password: string, origin: AuditOrigin): Promise<void>;
  /** For the operator, on the command line. Ends all sessions of the user. */
  set(userId: number, password: string, origin: AuditOrigin): Promise<void>;
  /**
   * Creates a link with which another user chooses a new password. The current password works until then. Users cannot
   * create a link for themselves: the link would replace the password without checking the current one.
   */
  createLink(userId: number, origin: AuditOrigin): Promise<PasswordLink>;
  /** Creates a link in the transaction of the caller, without the checks of `createLink`. */
  issueLink(trx: Trx, userId: number, origin: AuditOrigin): Promise<PasswordLink>;
  /**
   * Sets the chosen password and ends all sessions of the user. The link of an owner to a user without a password is an
   * invitation: only after such a link may the caller sign the user in.
   */
  redeemLink(
    token: string,
    password: string,
    origin: AuditOrigin,
  ): Promise<{ userId: number; email: string; isInvitation: boolean }>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  links: OneTimeLinks;
  throttle: PasswordThrottle;
  hashing: PasswordHashing;
};

export function createPasswordService(deps: Dependencies): PasswordService {
  const { db, clock, audit, links, throttle, hashing } = deps;

  const service: PasswordService = {
    async change({ user, sessionId }, request, origin) {
      await assertAcceptablePassword(request.new_password, user.email);
      const counters = [throttle.getOwnPasswordCounter(user.id)];
      await throttle.registerAttempt(counters, origin);
      const current = await findPasswordHash(db, { userId: user.id });
      if (
        current === null ||
        !(await hashing.verify({ hash: current, password: request.current_password }))
      ) {
        await db.transaction().execute((trx) => audit.record(trx, origin, buildRefusal(user.id)));
        throw new AppError('wrong_password');
      }
      const hash = await hashing.hash(request.new_password);
      await db.transaction().execute(async (trx) => {
        await lockUser(trx, user.id);
        // Another request may have changed the password during hashing.
        if ((await findPasswordHash(trx, { userId: user.id })) !== current) {
          throw new AppError('wrong_password');
        }
        await throttle.recordSuccess(trx, counters);
        const sessionsEnded = request.end_other_sessions
          ? await deleteUserSessions(trx, user.id, { except: sessionId })
          : 0;
        await storePassword(trx, user.id, hash, origin, { by: 'current_password', sessionsEnded });
      });
    },

    async verifyOwn({ user }, password, origin) {
      const counters = [throttle.getOwnPasswordCounter(user.id)];
      await throttle.registerAttempt(counters, origin);
      const current = await findPasswordHash(db, { userId: user.id });
      if (current === null || !(await hashing.verify({ hash: current, password }))) {
        const refusal = { ...buildRefusal(user.id), action: 'refuse_password' } as const;
        await db.transaction().execute((trx) => audit.record(trx, origin, refusal));
        throw new AppError('wrong_password');
      }
      await db.transaction().execute((trx) => throttle.recordSuccess(trx, counters));
    },

    async set(userId, password, origin) {
      const { email } = (await findUser(db, { id: userId })) ?? {};
      if (email === undefined) throw userNotFound(userId);
      await assertAcceptablePassword(password, email);
      const hash = await hashing.hash(password);
      await db.transaction().execute(async (trx) => {
        const user = await lockUser(trx, userId);
        if (!user) throw userNotFound(userId);
        await replacePassword(trx, user, hash, origin, 'operator');
      });
    },

    createLink: (userId, origin) =>
      db.transaction().execute(async (trx) => {
        if (origin.actor === String(userId)) throw new AppError('own_password_link');
        const user = await lockUser(trx, userId);
        if (!user) throw userNotFound(userId);
        if (user.disabled_at !== null) {
          throw new AppError('account_disabled', {
            message: 'This account is disabled. Enable it before you create a link for it.',
          });
        }
        return service.issueLink(trx, userId, origin);
      }),

    async issueLink(trx, userId, origin) {
      const { url, expiresAt } = await links.issueForPassword(trx, userId);
      await audit.record(trx, origin, {
        action: 'issue_password_link',
        entityType: 'user',
        entityId: userId,
        context: { expires_at: expiresAt },
      });
      return { url, expires_at: expiresAt.toISOString() };
    },

    async redeemLink(token, password, origin) {
      const { userId, purpose } = await links.find(['password', 'reset'], token);
      const linkUser = userId === null ? undefined : await findUser(db, { id: userId });
      if (!linkUser) throw new AppError('invalid_link');
      await assertAcceptablePassword(password, linkUser.email);
      const hash = await hashing.hash(password);
      return db.transaction().execute(async (trx) => {
        // Locks the user before the link, in the same order as createLink.
        const user = await lockUser(trx, linkUser.id);
        await links.redeem(trx, purpose, token);
        if (!user || user.disabled_at !== null) throw new AppError('invalid_link');
        const hasPassword = (await findPasswordHash(trx, { userId: user.id })) !== null;
        if (purpose === 'reset' && !hasPassword) throw new AppError('invalid_link');
        const isInvitation = !hasPassword;
        const by = purpose === 'reset' ? 'mail' : isInvitation ? 'invitation' : 'link';
        await replacePassword(trx, user, hash, { ...origin, actor: String(user.id) }, by);
        return { userId: user.id, email: user.email, isInvitation };
      });
    },
  };
  return service;

  /** Does not check the current password. Ends all sessions, because that password may be compromised. */
  async function replacePassword(
    trx: Trx,
    user: UserRow,
    hash: string,
    origin: AuditOrigin,
    by: 'operator' | 'link' | 'mail' | 'invitation',
  ): Promise<void> {
    const sessionsEnded = await deleteUserSessions(trx, user.id);
    await throttle.reset(trx, user);
    await storePassword(trx, user.id, hash, origin, { by, sessionsEnded });
  }

  async function storePassword(
    trx: Trx,
    userId: number,
    hash: string,
    origin: AuditOrigin,
    { by, sessionsEnded }: { by: string; sessionsEnded: number },
  ): Promise<void> {
    await storePasswordHash(trx, userId, hash, clock.now());
    await links.voidUserLinks(trx, userId);
    await audit.record(trx, origin, {
      action: 'set_password',
      entityType: 'user',
      entityId: userId,
      context: { by, sessions_ended: sessionsEnded },
    });
  }
}

function buildRefusal(userId: number): AuditEntry<'user'> {
  const context = { reason: 'wrong_password' };
  return { action: 'refuse_password_change', entityType: 'user', entityId: userId, context };
}
