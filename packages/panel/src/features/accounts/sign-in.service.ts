import type { PasskeyAssertion, SecondFactorMethod, SignInRequest } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService, RepeatedEvents } from '../audit/index.ts';
import type { AuthProvider, Client } from './auth-provider.ts';
import type { KnownDevices } from './known-devices.ts';
import type { PasskeyService } from './passkeys.service.ts';
import type { AttemptCounter, PasswordThrottle } from './password-throttle.ts';
import type { CodeKind, SecondFactorService } from './second-factor.service.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionByToken,
  findSessionByToken,
  markConfirmedBySignIn,
} from './sessions.repository.ts';
import type { SessionService, SessionView } from './sessions.service.ts';
import type { SignInChallenges } from './sign-in-challenges.ts';
import { normalizeEmail } from './user-fields.ts';
import { toPanelUser } from './user-view.ts';
import {
  findPasswordHash,
  findUser,
  lockUser,
  type UserRow,
  updateUser,
} from './users.repository.ts';

/** `cookies`: Set-Cookie values. */
export type CompletedSignIn = SessionView & { cookies: string[] };
/** The password was correct; a second factor must follow. */
export type PendingSignIn = { methods: SecondFactorMethod[]; cookies: string[] };

export type SignInService = {
  withPassword(
    credentials: SignInRequest,
    client: Client,
    origin: AuditOrigin,
  ): Promise<CompletedSignIn | PendingSignIn>;
  /** The second step, with a one-time code or a backup code. */
  withCode(code: string, client: Client, origin: AuditOrigin): Promise<CompletedSignIn>;
  /** The options with which a browser signs in with a passkey. */
  startWithPasskey(
    client: Pick<Client, 'ip'>,
    origin: AuditOrigin,
  ): ReturnType<PasskeyService['startSignIn']>;
  /** A passkey is two factors in one step, so no password is needed. */
  withPasskey(
    assertion: PasskeyAssertion,
    client: Client,
    origin: AuditOrigin,
  ): Promise<CompletedSignIn | PendingSignIn>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  repeatedEvents: Pick<RepeatedEvents, 'record'>;
  authProvider: AuthProvider;
  throttle: PasswordThrottle;
  sessions: Pick<SessionService, 'view'>;
  challenges: SignInChallenges;
  devices: KnownDevices;
  secondFactors: Pick<SecondFactorService, 'listMethods' | 'redeemCode'>;
  passkeys: Pick<PasskeyService, 'startSignIn' | 'verify'>;
};

/** The factor that was verified, and the password hash that must be unchanged when the session starts. */
type Proof = { hash: string | null; by: 'password' | 'passkey' | CodeKind };
/** Per user and reason. All unknown users share one count. */
const FAILURE_RECORDS_PER_DAY = 100;

type OpenedSession = { token: string; cookies: string[] };

export function createSignInService(deps: Dependencies): SignInService {
  const { db, clock, audit, authProvider, throttle, sessions, challenges } = deps;
  const { secondFactors, passkeys, devices, repeatedEvents } = deps;

  /** Visitors with many addresses can fail as often as they like. */
  const recordFailure = (
    trx: Trx,
    origin: AuditOrigin,
    userId: number | 'unknown',
    reason: string,
  ): Promise<void> =>
    repeatedEvents.record(trx, origin, buildFailure(userId, reason), {
      recordsPerDay: FAILURE_RECORDS_PER_DAY,
      kind: { reason },
    });

  return {
    async withPassword({ email, password }, client, origin) {
      const address = normalizeEmail(email);
      const device = devices.find(client.cookieHeader, address);
      const counters = throttle.getSignInCounters(address, { ip: client.ip, device });
      await throttle.registerAttempt(counters, origin);
      const hash = await findPasswordHash(db, { email: address });
      const opened = await authProvider.openSession({ email: address, password }, client);
      if (!opened) {
        await recordWrongPassword(address, origin);
        throw new AppError('invalid_credentials');
      }
      return complete(opened, { hash, by: 'password' }, counters, { client, origin });
    },

    async withCode(code, client, origin) {
      const challenge = await challenges.find(client.cookieHeader);
      if (!challenge) throw new AppError('sign_in_expired');
      const { userId } = challenge;
      const counters = [throttle.getCodeCounter(userId)];
      await throttle.registerAttempt(counters, origin);
      const proof = await db.transaction().execute(async (trx): Promise<Proof | null> => {
        await lockUser(trx, userId);
        const hash = await findPasswordHash(trx, { userId });
        if (hash === null || !challenges.matchesPassword(challenge, hash)) {
          throw new AppError('sign_in_expired');
        }
        const by = await secondFactors.redeemCode(trx, userId, code);
        if (by === null) {
          await recordFailure(trx, origin, userId, 'wrong_code');
          return null;
        }
        if (!(await challenges.consume(trx, challenge))) throw new AppError('sign_in_expired');
        return { hash, by };
      });
      if (!proof) throw new AppError('wrong_code');
      const opened = await authProvider.openSessionForUser(userId, client);
      const signedIn = await complete(opened, proof, counters, { client, origin });
      if ('methods' in signedIn) throw new Error('The second factor was requested twice.');
      return { ...signedIn, cookies: [...signedIn.cookies, challenges.deletionCookie] };
    },

    async startWithPasskey({ ip }, origin) {
      await throttle.registerAttempt([throttle.getPasskeyStartCounter(ip)], origin);
      return passkeys.startSignIn();
    },

    async withPasskey(assertion, client, origin) {
      const counters = [throttle.getPasskeyCounter(client.ip)];
      await throttle.registerAttempt(counters, origin);
      const verified = await db.transaction().execute(async (trx) => {
        const userId = await passkeys.verify(trx, assertion, null);
        return userId === null ? null : { userId, hash: await findPasswordHash(trx, { userId }) };
      });
      if (!verified) {
        await db
          .transaction()
          .execute((trx) => recordFailure(trx, origin, 'unknown', 'wrong_passkey'));
        throw new AppError('passkey_rejected');
      }
      const { userId, hash } = verified;
      const opened = await authProvider.openSessionForUser(userId, client);
      return complete(opened, { hash, by: 'passkey' }, counters, { client, origin });
    },
  };

  /**
   * Completes a sign-in. The client receives the cookie only afterwards, so every sign-in has its audit record.
   * Locks the user row: a concurrent request that disables the account or resets the password either waits and then
   * ends the new session, or commits first and is detected here.
   */
  async function complete(
    opened: OpenedSession,
    proof: Proof,
    counters: AttemptCounter[],
    { client, origin }: { client: Client; origin: AuditOrigin },
  ): Promise<CompletedSignIn | PendingSignIn> {
    try {
      const outcome = await db.transaction().execute(async (trx) => {
        const session = await findSessionByToken(trx, opened.token);
        const user = session && (await lockUser(trx, session.user_id));
        if (!user || (await findPasswordHash(trx, { userId: user.id })) !== proof.hash) {
          throw new AppError('invalid_credentials');
        }
        const userOrigin = { ...origin, actor: String(user.id) };
        if (user.disabled_at !== null) {
          await recordFailure(trx, userOrigin, user.id, 'disabled');
          return null;
        }
        await throttle.recordSuccess(trx, counters);
        const methods =
          proof.by === 'password' ? await secondFactors.listMethods(trx, user.id) : [];
        if (methods.length > 0) {
          return requireSecondFactor(trx, user, session.id, {
            methods,
            hash: proof.hash ?? '',
            origin,
          });
        }
        const cookies = [...opened.cookies, devices.buildCookie(client.cookieHeader, user.email)];
        return startSession(trx, user, session.id, { by: proof.by, cookies, origin: userOrigin });
      });
      if (!outcome) throw new AppError('account_disabled');
      return outcome;
    } catch (error) {
      // The sign-in was refused or failed. The client never received the token, so delete the session.
      await deleteSessionByToken(db, opened.token);
      throw error;
    }
  }

  async function startSession(
    trx: Trx,
    user: UserRow,
    sessionId: number,
    { by, cookies, origin }: { by: Proof['by']; cookies: string[]; origin: AuditOrigin },
  ): Promise<CompletedSignIn> {
    const now = clock.now();
    await deleteExpiredSessions(trx, now);
    await updateUser(trx, user.id, { last_sign_in_at: now });
    await markConfirmedBySignIn(trx, sessionId);
    await audit.record(trx, origin, {
      action: 'succeed',
      entityType: 'sign_in',
      entityId: user.id,
      context: { session_id: sessionId, ...(by !== 'password' && { second_factor: by }) },
    });
    return { ...sessions.view({ user: toPanelUser(user), sessionId }), cookies };
  }

  /** Deletes the session before the client receives it, and records that the password was correct. */
  async function requireSecondFactor(
    trx: Trx,
    user: UserRow,
    sessionId: number,
    { methods, hash, origin }: { methods: SecondFactorMethod[]; hash: string; origin: AuditOrigin },
  ): Promise<PendingSignIn> {
    await deleteSession(trx, user.id, sessionId);
    const { cookie } = await challenges.issue(trx, user.id, hash);
    await audit.record(trx, origin, {
      action: 'ask_second_factor',
      entityType: 'sign_in',
      entityId: user.id,
    });
    return { methods, cookies: [cookie] };
  }

  /** Does not record the submitted address: it may be a password typed into the wrong field. */
  function recordWrongPassword(email: string, origin: AuditOrigin): Promise<void> {
    return db.transaction().execute(async (trx) => {
      const user = await findUser(trx, { email });
      if (user) await recordFailure(trx, origin, user.id, 'wrong_password');
      else await recordFailure(trx, origin, 'unknown', 'unknown_user');
    });
  }
}

function buildFailure(userId: number | 'unknown', reason: string): AuditEntry {
  return { action: 'fail', entityType: 'sign_in', entityId: userId, context: { reason } };
}
