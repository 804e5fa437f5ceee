import {
  CONFIRMATION_MINUTES,
  type PanelUser,
  type SessionSummary,
  type SignInRequest,
} from '@steward/contract';
import type { Database } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AuditEntry, AuditService, Origin } from '../audit/audit.service.ts';
import type { Authenticator, Client } from './authenticator.ts';
import type { CsrfTokens } from './csrf.ts';
import { typedEmail } from './identity.ts';
import type { PasswordThrottle, Subject } from './password-throttle.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionByToken,
  deleteSessionsOf,
  findLiveSession,
  findSessionOf,
  listLiveSessions,
  markConfirmed,
} from './sessions.repository.ts';
import { panelUser } from './user-view.ts';
import { findPasswordHash, findUser, lockUser, updateUser } from './users.repository.ts';

/** Who a request comes from. */
export type SignedIn = {
  user: PanelUser;
  sessionId: number;
  /** They proved who they are within the last minutes. A stolen cookie alone does not. */
  isConfirmed: boolean;
};

/** What a screen needs to go on: who it is, and what changes have to carry. */
export type SessionView = { user: PanelUser; csrf_token: string };

export type SessionService = {
  /** `cookies`: for Set-Cookie. */
  signIn(
    credentials: SignInRequest,
    client: Client,
    origin: Origin,
  ): Promise<SessionView & { cookies: string[] }>;
  signOut(signedIn: SignedIn, origin: Origin): Promise<{ cookies: string[] }>;
  /** Null without a session that holds. */
  authenticate(cookieHeader: string | undefined): Promise<SignedIn | null>;
  isCsrfToken(signedIn: SignedIn, token: unknown): boolean;
  view(signedIn: SignedIn): SessionView;
  list(signedIn: SignedIn): Promise<SessionSummary[]>;
  /** One of one's own. */
  end(signedIn: SignedIn, sessionId: number, origin: Origin): Promise<void>;
  endOthers(signedIn: SignedIn, origin: Origin): Promise<void>;
  /** Loads what is loaded on first use otherwise. */
  load(): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  authenticator: Authenticator;
  csrf: CsrfTokens;
  throttle: PasswordThrottle;
};

export function createSessionService(deps: Dependencies): SessionService {
  const { db, clock, audit, authenticator, csrf, throttle } = deps;
  const view = ({ user, sessionId }: Pick<SignedIn, 'user' | 'sessionId'>) => ({
    user,
    csrf_token: csrf.of(sessionId),
  });

  return {
    view,
    load: authenticator.load,
    isCsrfToken: ({ sessionId }, token) => csrf.isOf(sessionId, token),

    async signIn({ email, password }, client, origin) {
      const address = typedEmail(email);
      const subjects = [throttle.account(address), throttle.address(client.ip)];
      await throttle.begin(subjects, origin);
      const hash = await findPasswordHash(db, { email: address });
      const opened = await authenticator.openSession({ email: address, password }, client);
      if (!opened) {
        await recordFailure(address, origin);
        throw new AppError('invalid_credentials');
      }
      try {
        const signedIn = await welcome({ ...opened, hash }, subjects, origin);
        return { ...view(signedIn), cookies: opened.cookies };
      } catch (error) {
        // Refused after all, or a fault of ours. Nobody was given the token.
        await deleteSessionByToken(db, opened.token);
        throw error;
      }
    },

    async signOut({ user, sessionId }, origin) {
      await db.transaction().execute(async (trx) => {
        const wasThere = await deleteSession(trx, user.id, sessionId);
        if (wasThere) await audit.record(trx, origin, endOf(sessionId, user, 'sign_out'));
      });
      return { cookies: await authenticator.forgettingCookies() };
    },

    async authenticate(cookieHeader) {
      const token = cookieHeader ? await authenticator.tokenIn(cookieHeader) : null;
      const now = clock.now();
      const found = token === null ? undefined : await findLiveSession(db, token, now);
      if (!found) return null;
      const { session_id, confirmed_at } = found;
      return {
        user: panelUser(found),
        sessionId: session_id,
        isConfirmed: confirmed_at !== null && now.getTime() < confirmationEnd(confirmed_at),
      };
    },

    async list({ user, sessionId }) {
      const sessions = await listLiveSessions(db, user.id, clock.now());
      return sessions.map((session) => ({
        id: session.id,
        current: session.id === sessionId,
        ip: session.ip_address || null,
        user_agent: session.user_agent || null,
        created_at: session.created_at.toISOString(),
        expires_at: session.expires_at.toISOString(),
      }));
    },

    end: ({ user }, sessionId, origin) =>
      db.transaction().execute(async (trx) => {
        if (!(await deleteSession(trx, user.id, sessionId))) {
          throw new AppError('not_found', { message: `You have no session ${sessionId}.` });
        }
        await audit.record(trx, origin, endOf(sessionId, user, 'ended_by_user'));
      }),

    endOthers: ({ user, sessionId }, origin) =>
      db.transaction().execute(async (trx) => {
        const ended = await deleteSessionsOf(trx, user.id, { except: sessionId });
        if (ended === 0) return;
        await audit.record(trx, origin, {
          action: 'end_others',
          entityType: 'session',
          entityId: sessionId,
          context: { user_id: user.id, sessions_ended: ended },
        });
      }),
  };

  /**
   * The second half of a sign-in, and the cookie leaves only after it: there is none without its
   * record. The user is locked: whoever disables the account or resets its password either waits
   * and finds the new session, or is waited for here and noticed.
   */
  async function welcome(
    { token, hash }: { token: string; hash: string | null },
    subjects: Subject[],
    origin: Origin,
  ): Promise<Pick<SignedIn, 'user' | 'sessionId'>> {
    const signedIn = await db.transaction().execute(async (trx) => {
      const session = await findSessionOf(trx, token);
      const user = session && (await lockUser(trx, session.user_id));
      if (!user || (await findPasswordHash(trx, { userId: user.id })) !== hash) {
        throw new AppError('invalid_credentials');
      }
      const self = { ...origin, actor: String(user.id) };
      if (user.disabled_at !== null) {
        await audit.record(trx, self, failureOf(user.id, 'disabled'));
        return null;
      }
      await throttle.succeed(trx, subjects);
      await deleteExpiredSessions(trx, clock.now());
      await updateUser(trx, user.id, { last_sign_in_at: clock.now() });
      await markConfirmed(trx, session.id, clock.now());
      await audit.record(trx, self, {
        action: 'succeed',
        entityType: 'sign_in',
        entityId: user.id,
        context: { session_id: session.id },
      });
      return { user: panelUser(user), sessionId: session.id };
    });
    if (!signedIn) throw new AppError('account_disabled');
    return signedIn;
  }

  /** The address that was typed is not recorded: it may be a password in the wrong field. */
  function recordFailure(email: string, origin: Origin): Promise<void> {
    return db.transaction().execute(async (trx) => {
      const user = await findUser(trx, { email });
      const entry = user
        ? failureOf(user.id, 'wrong_password')
        : failureOf('unknown', 'unknown_user');
      await audit.record(trx, origin, entry);
    });
  }
}

const confirmationEnd = (confirmedAt: Date) =>
  confirmedAt.getTime() + CONFIRMATION_MINUTES * 60_000;

function failureOf(userId: number | 'unknown', reason: string): AuditEntry {
  return { action: 'fail', entityType: 'sign_in', entityId: userId, context: { reason } };
}

function endOf(sessionId: number, user: PanelUser, reason: string): AuditEntry {
  const context = { user_id: user.id, reason };
  return { action: 'end', entityType: 'session', entityId: sessionId, context };
}
