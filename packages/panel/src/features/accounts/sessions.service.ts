import { CONFIRMATION_MINUTES, type PanelUser, type SessionSummary } from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { AuthProvider } from './auth-provider.ts';
import type { CsrfTokens } from './csrf-tokens.ts';
import {
  deleteSession,
  deleteUserSessions,
  findLiveSession,
  listLiveSessions,
} from './sessions.repository.ts';
import { toPanelUser } from './user-view.ts';

/** The signed-in user and the CSRF token to send with writes. */
export type SessionView = { user: PanelUser; csrf_token: string };

export type SessionService = {
  /** `cookies`: Set-Cookie values that delete the session cookie. */
  signOut(signedIn: SignedIn, origin: AuditOrigin): Promise<{ cookies: string[] }>;
  /** Returns null without a valid session. */
  authenticate(cookieHeader: string | undefined): Promise<SignedIn | null>;
  isCsrfToken(signedIn: SignedIn, token: unknown): boolean;
  view(signedIn: Pick<SignedIn, 'user' | 'sessionId'>): SessionView;
  list(signedIn: SignedIn): Promise<SessionSummary[]>;
  /** Ends one of the user's own sessions. */
  end(signedIn: SignedIn, sessionId: number, origin: AuditOrigin): Promise<void>;
  endOthers(signedIn: SignedIn, origin: AuditOrigin): Promise<void>;
  /** Loads the auth provider now instead of at first use. */
  load(): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  authProvider: AuthProvider;
  csrf: CsrfTokens;
};

export function createSessionService(deps: Dependencies): SessionService {
  const { db, clock, audit, authProvider, csrf } = deps;
  const view = ({ user, sessionId }: Pick<SignedIn, 'user' | 'sessionId'>) => ({
    user,
    csrf_token: csrf.create(sessionId),
  });

  return {
    view,
    load: authProvider.load,
    isCsrfToken: ({ sessionId }, token) => csrf.isValid(sessionId, token),

    async signOut({ user, sessionId }, origin) {
      await db.transaction().execute(async (trx) => {
        const wasDeleted = await deleteSession(trx, user.id, sessionId);
        if (wasDeleted) await audit.record(trx, origin, buildEndEntry(sessionId, user, 'sign_out'));
      });
      return { cookies: await authProvider.buildDeletionCookies() };
    },

    async authenticate(cookieHeader) {
      const token = cookieHeader ? await authProvider.readToken(cookieHeader) : null;
      const now = clock.now();
      const found = token === null ? undefined : await findLiveSession(db, token, now);
      if (!found) return null;
      const { session_id, confirmed_at, created_at, must_set_up_second_factor } = found;
      const isConfirmed = confirmed_at !== null && now.getTime() < getConfirmationEnd(confirmed_at);
      return {
        user: toPanelUser(found),
        sessionId: session_id,
        mustSetUpSecondFactor: must_set_up_second_factor,
        isConfirmed,
        isConfirmedAfterSignIn: isConfirmed && confirmed_at >= created_at,
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
          throw new AppError('not_found', { message: `You have no session with id ${sessionId}.` });
        }
        await audit.record(trx, origin, buildEndEntry(sessionId, user, 'ended_by_user'));
      }),

    endOthers: ({ user, sessionId }, origin) =>
      db.transaction().execute(async (trx) => {
        const ended = await deleteUserSessions(trx, user.id, { except: sessionId });
        if (ended === 0) return;
        await audit.record(trx, origin, {
          action: 'end_others',
          entityType: 'session',
          entityId: sessionId,
          context: { user_id: user.id, sessions_ended: ended },
        });
      }),
  };
}

const getConfirmationEnd = (confirmedAt: Date) =>
  confirmedAt.getTime() + CONFIRMATION_MINUTES * 60_000;

function buildEndEntry(sessionId: number, user: PanelUser, reason: string): AuditEntry {
  const context = { user_id: user.id, reason };
  return { action: 'end', entityType: 'session', entityId: sessionId, context };
}
