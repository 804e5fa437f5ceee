import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type {
  AuditAction,
  PasskeyAssertion,
  PasskeySummary,
  RegisterPasskeyRequest,
} from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import {
  consumeChallenge,
  deleteExpiredChallenges,
  insertChallenge,
} from './challenges.repository.ts';
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  lockPasskey,
  type PasskeyRow,
  recordPasskeyUse,
  renamePasskey,
} from './passkeys.repository.ts';
import { countSecondFactors, replaceBackupCodes } from './second-factor.repository.ts';
import { assertSecondFactorLeft } from './second-factor-rule.ts';
import { parseName } from './user-fields.ts';
import { lockUser } from './users.repository.ts';
import {
  buildAuthenticationOptions,
  buildRegistrationOptions,
  readChallenge,
  verifyAuthentication,
  verifyRegistration,
} from './webauthn.ts';

/** The purpose of a challenge. A response for one purpose is not valid for another. */
type Purpose = { kind: 'sign_in' } | { kind: 'register' | 'confirm'; sessionId: number };

export type PasskeyService = {
  /** Deletes all challenges that have expired, also those of sign-ins with a code. */
  deleteExpiredChallenges(): Promise<void>;
  startRegistration(signedIn: SignedIn): Promise<object>;
  register(
    signedIn: SignedIn,
    request: RegisterPasskeyRequest,
    origin: AuditOrigin,
  ): Promise<PasskeySummary>;
  rename(
    signedIn: SignedIn,
    id: number,
    name: string,
    origin: AuditOrigin,
  ): Promise<PasskeySummary>;
  remove(signedIn: SignedIn, id: number, origin: AuditOrigin): Promise<void>;
  startSignIn(): Promise<object>;
  startConfirmation(signedIn: SignedIn): Promise<object>;
  /** Consumes the challenge and returns the id of the passkey's user, or null. `session` is null at sign-in. */
  verify(trx: Trx, assertion: PasskeyAssertion, session: SignedIn | null): Promise<number | null>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  /** The public address of the panel. */
  getPanelUrl(): string;
};

const CHALLENGE_LIFETIME_MS = 5 * 60_000;
const PASSKEYS_PER_USER_MAX = 20;

export function createPasskeyService(deps: Dependencies): PasskeyService {
  const { db, clock, audit, getPanelUrl } = deps;

  /** Stores the challenge, so that only one response to it is accepted. */
  async function saveChallenge<Options extends { challenge: string }>(
    purpose: Purpose,
    options: Options,
  ) {
    const now = clock.now();
    await db.transaction().execute(async (trx) => {
      await deleteExpiredChallenges(trx, now);
      await insertChallenge(trx, {
        identifier: buildIdentifier(purpose, options.challenge),
        value: {},
        now,
        expiresAt: new Date(now.getTime() + CHALLENGE_LIFETIME_MS),
      });
    });
    return options;
  }

  const consumeFor = async (trx: Trx, purpose: Purpose, challenge: string) =>
    (await consumeChallenge(trx, buildIdentifier(purpose, challenge), clock.now())) !== null;

  return {
    deleteExpiredChallenges: () =>
      db.transaction().execute((trx) => deleteExpiredChallenges(trx, clock.now())),

    async startRegistration({ user, sessionId }) {
      const existing = await listPasskeys(db, user.id);
      const options = await buildRegistrationOptions(getPanelUrl(), user, existing);
      return saveChallenge({ kind: 'register', sessionId }, options);
    },

    register: ({ user, sessionId }, { name, response }, origin) =>
      db.transaction().execute(async (trx) => {
        await lockUser(trx, user.id);
        const credential = response as unknown as RegistrationResponseJSON;
        const challenge = readChallenge(credential);
        const registered = (await consumeFor(trx, { kind: 'register', sessionId }, challenge))
          ? await verifyRegistration(getPanelUrl(), credential, challenge)
          : null;
        if (!registered) throw new AppError('passkey_rejected');
        if ((await listPasskeys(trx, user.id)).length >= PASSKEYS_PER_USER_MAX) {
          throw new AppError('invalid_request', {
            message: `An account can have at most ${PASSKEYS_PER_USER_MAX} passkeys. Remove one first.`,
          });
        }
        const passkey = await insertPasskey(trx, {
          ...registered,
          user_id: user.id,
          name: parseName(name),
          created_at: clock.now(),
        });
        if (!passkey) throw new AppError('passkey_rejected');
        await audit.record(trx, origin, buildAuditEntry(user.id, 'add_passkey', passkey.name));
        return toPasskeySummary(passkey);
      }),

    rename: ({ user }, id, name, origin) =>
      db.transaction().execute(async (trx) => {
        const passkey = await renamePasskey(trx, user.id, id, parseName(name));
        if (!passkey) throw passkeyNotFound(id);
        await audit.record(trx, origin, buildAuditEntry(user.id, 'rename_passkey', passkey.name));
        return toPasskeySummary(passkey);
      }),

    remove: ({ user }, id, origin) =>
      db.transaction().execute(async (trx) => {
        await lockUser(trx, user.id);
        const removed = await deletePasskey(trx, user.id, id);
        if (!removed) throw passkeyNotFound(id);
        await assertSecondFactorLeft(trx, user.id);
        const { totp, passkeys } = await countSecondFactors(trx, user.id);
        if (!totp && passkeys === 0) await replaceBackupCodes(trx, user.id, []);
        await audit.record(trx, origin, buildAuditEntry(user.id, 'remove_passkey', removed.name));
      }),

    async startSignIn() {
      return saveChallenge(
        { kind: 'sign_in' },
        await buildAuthenticationOptions(getPanelUrl(), []),
      );
    },

    async startConfirmation({ user, sessionId }) {
      const ownPasskeys = await listPasskeys(db, user.id);
      if (ownPasskeys.length === 0) throw new AppError('no_second_factor');
      return saveChallenge(
        { kind: 'confirm', sessionId },
        await buildAuthenticationOptions(getPanelUrl(), ownPasskeys),
      );
    },

    async verify(trx, assertion, session) {
      const purpose: Purpose = session
        ? { kind: 'confirm', sessionId: session.sessionId }
        : { kind: 'sign_in' };
      const response = assertion as unknown as AuthenticationResponseJSON;
      const challenge = readChallenge(response);
      const passkey = await lockPasskey(trx, assertion.id);
      if (!passkey || (session && session.user.id !== passkey.user_id)) return null;
      if (!(await consumeFor(trx, purpose, challenge))) return null;
      const counter = await verifyAuthentication(getPanelUrl(), response, challenge, passkey);
      if (counter === null) return null;
      await recordPasskeyUse(trx, passkey.id, { counter, now: clock.now() });
      return passkey.user_id;
    },
  };
}

function buildIdentifier(purpose: Purpose, challenge: string): string {
  const scope = purpose.kind === 'sign_in' ? '' : purpose.sessionId;
  return `passkey:${purpose.kind}:${scope}:${challenge}`;
}

export function toPasskeySummary({
  id,
  name,
  created_at,
  last_used_at,
}: PasskeyRow): PasskeySummary {
  return {
    id,
    name,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}

function passkeyNotFound(id: number): AppError {
  return new AppError('not_found', { message: `You have no passkey with id ${id}.` });
}

function buildAuditEntry(userId: number, action: AuditAction<'user'>, passkey: string): AuditEntry {
  return { action, entityType: 'user', entityId: userId, context: { passkey } };
}
