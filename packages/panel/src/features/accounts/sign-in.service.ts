import type { PasskeyAnswer, SignInMethod, SignInRequest } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { Authenticator, Client } from './authenticator.ts';
import { typedEmail } from './identity.ts';
import type { KnownDevices } from './known-devices.ts';
import type { PasskeyService } from './passkeys.service.ts';
import type { PasswordThrottle, Subject } from './password-throttle.ts';
import type { CodeKind, SecondFactorService } from './second-factor.service.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionByToken,
  findSessionOf,
  markConfirmed,
} from './sessions.repository.ts';
import type { SessionService, SessionView } from './sessions.service.ts';
import type { SignInChallenges } from './sign-in-challenges.ts';
import { panelUser } from './user-view.ts';
import {
  findPasswordHash,
  findUser,
  lockUser,
  type UserRow,
  updateUser,
} from './users.repository.ts';

/** `cookies`: for Set-Cookie. */
export type SignedInNow = SessionView & { cookies: string[] };
/** The password was right, and a second factor must follow. */
export type AskedForMore = { methods: SignInMethod[]; cookies: string[] };

export type SignInService = {
  withPassword(
    credentials: SignInRequest,
    client: Client,
    origin: Origin,
  ): Promise<SignedInNow | AskedForMore>;
  /** The second step, with a code of an app or from paper. */
  withCode(code: string, client: Client, origin: Origin): Promise<SignedInNow>;
  /** Something one has and something one knows or is, in one step: no password is asked for. */
  withPasskey(
    answer: PasskeyAnswer,
    client: Client,
    origin: Origin,
  ): Promise<SignedInNow | AskedForMore>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  authenticator: Authenticator;
  throttle: PasswordThrottle;
  sessions: Pick<SessionService, 'view'>;
  challenges: SignInChallenges;
  devices: KnownDevices;
  secondFactors: Pick<SecondFactorService, 'methodsOf' | 'redeemCode'>;
  passkeys: Pick<PasskeyService, 'verify'>;
};

/** What was proven, and what must still be so when the session begins. */
type Proof = { hash: string | null; by: 'password' | 'passkey' | CodeKind };
type Opened = { token: string; cookies: string[] };

export function createSignInService(deps: Dependencies): SignInService {
  const { db, clock, audit, authenticator, throttle, sessions, challenges } = deps;
  const { secondFactors, passkeys, devices } = deps;

  return {
    async withPassword({ email, password }, client, origin) {
      const address = typedEmail(email);
      const device = devices.find(client.cookieHeader, address);
      const subjects = throttle.signIn(address, { ip: client.ip, device });
      await throttle.begin(subjects, origin);
      const hash = await findPasswordHash(db, { email: address });
      const opened = await authenticator.openSession({ email: address, password }, client);
      if (!opened) {
        await recordFailure(address, origin);
        throw new AppError('invalid_credentials');
      }
      return complete(opened, { hash, by: 'password' }, subjects, { client, origin });
    },

    async withCode(code, client, origin) {
      const challenge = await challenges.find(client.cookieHeader);
      if (!challenge) throw new AppError('sign_in_expired');
      const { userId } = challenge;
      const subjects = [throttle.code(userId)];
      await throttle.begin(subjects, origin);
      const proof = await db.transaction().execute(async (trx): Promise<Proof | null> => {
        await lockUser(trx, userId);
        const hash = await findPasswordHash(trx, { userId });
        if (hash === null || !challenges.isOf(challenge, hash)) {
          throw new AppError('sign_in_expired');
        }
        const by = await secondFactors.redeemCode(trx, userId, code);
        if (by === null) {
          await audit.record(trx, origin, failureOf(userId, 'wrong_code'));
          return null;
        }
        if (!(await challenges.take(trx, challenge))) throw new AppError('sign_in_expired');
        return { hash, by };
      });
      if (!proof) throw new AppError('wrong_code');
      const opened = await authenticator.openSessionOf(userId, client);
      const signedIn = await complete(opened, proof, subjects, { client, origin });
      if ('methods' in signedIn) throw new Error('A second factor was asked for twice.');
      return { ...signedIn, cookies: [...signedIn.cookies, challenges.forgettingCookie] };
    },

    async withPasskey(answer, client, origin) {
      const subjects = [throttle.passkey(client.ip)];
      await throttle.begin(subjects, origin);
      const proven = await db.transaction().execute(async (trx) => {
        const userId = await passkeys.verify(trx, answer, null);
        return userId === null ? null : { userId, hash: await findPasswordHash(trx, { userId }) };
      });
      if (!proven) {
        const entry = failureOf('unknown', 'wrong_passkey');
        await db.transaction().execute((trx) => audit.record(trx, origin, entry));
        throw new AppError('passkey_rejected');
      }
      const { userId, hash } = proven;
      const opened = await authenticator.openSessionOf(userId, client);
      return complete(opened, { hash, by: 'passkey' }, subjects, { client, origin });
    },
  };

  /**
   * The last part of a sign-in, and the cookie leaves only after it: there is none without its
   * record. The user is locked: whoever disables the account or resets its password either waits
   * and finds the new session, or is waited for here and noticed.
   */
  async function complete(
    opened: Opened,
    proof: Proof,
    subjects: Subject[],
    { client, origin }: { client: Client; origin: Origin },
  ): Promise<SignedInNow | AskedForMore> {
    try {
      const outcome = await db.transaction().execute(async (trx) => {
        const session = await findSessionOf(trx, opened.token);
        const user = session && (await lockUser(trx, session.user_id));
        if (!user || (await findPasswordHash(trx, { userId: user.id })) !== proof.hash) {
          throw new AppError('invalid_credentials');
        }
        const self = { ...origin, actor: String(user.id) };
        if (user.disabled_at !== null) {
          await audit.record(trx, self, failureOf(user.id, 'disabled'));
          return null;
        }
        await throttle.succeed(trx, subjects);
        const methods = proof.by === 'password' ? await secondFactors.methodsOf(trx, user.id) : [];
        if (methods.length > 0) {
          return askForMore(trx, user, session.id, { methods, hash: proof.hash ?? '', origin });
        }
        const cookies = [...opened.cookies, devices.cookieFor(client.cookieHeader, user.email)];
        return welcome(trx, user, session.id, { by: proof.by, cookies, origin: self });
      });
      if (!outcome) throw new AppError('account_disabled');
      return outcome;
    } catch (error) {
      // Refused after all, or a fault of ours. Nobody was given the token.
      await deleteSessionByToken(db, opened.token);
      throw error;
    }
  }

  async function welcome(
    trx: Trx,
    user: UserRow,
    sessionId: number,
    { by, cookies, origin }: { by: Proof['by']; cookies: string[]; origin: Origin },
  ): Promise<SignedInNow> {
    const now = clock.now();
    await deleteExpiredSessions(trx, now);
    await updateUser(trx, user.id, { last_sign_in_at: now });
    await markConfirmed(trx, sessionId, now);
    await audit.record(trx, origin, {
      action: 'succeed',
      entityType: 'sign_in',
      entityId: user.id,
      context: { session_id: sessionId, ...(by !== 'password' && { second_factor: by }) },
    });
    return { ...sessions.view({ user: panelUser(user), sessionId }), cookies };
  }

  /** That the password is known to somebody is worth a record; the session ends before it is known. */
  async function askForMore(
    trx: Trx,
    user: UserRow,
    sessionId: number,
    more: { methods: SignInMethod[]; hash: string; origin: Origin },
  ): Promise<AskedForMore> {
    await deleteSession(trx, user.id, sessionId);
    const { cookie } = await challenges.issue(trx, user.id, more.hash);
    await audit.record(trx, more.origin, {
      action: 'ask_second_factor',
      entityType: 'sign_in',
      entityId: user.id,
    });
    return { methods: more.methods, cookies: [cookie] };
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

function failureOf(userId: number | 'unknown', reason: string): AuditEntry {
  return { action: 'fail', entityType: 'sign_in', entityId: userId, context: { reason } };
}
