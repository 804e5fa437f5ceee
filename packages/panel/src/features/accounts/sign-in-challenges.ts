import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';
import {
  consumeChallenge,
  deleteExpiredChallenges,
  findChallenge,
  insertChallenge,
} from './challenges.repository.ts';

/**
 * The state of a sign-in between the password and the second factor. A cookie with a random token identifies the user
 * whose password was correct. The cookie alone grants no access; it expires after ten minutes or when the password
 * changes.
 */
export type SignInChallenges = {
  /** `cookie`: a Set-Cookie value. */
  issue(trx: Trx, userId: number, passwordHash: string): Promise<{ cookie: string }>;
  find(cookieHeader: string | undefined): Promise<Challenge | null>;
  /** Deletes the challenge. Returns false if another request has deleted it, or if it has expired. */
  consume(trx: Trx, challenge: Challenge): Promise<boolean>;
  matchesPassword(challenge: Challenge, passwordHash: string): boolean;
  deletionCookie: string;
};

export type Challenge = { identifier: string; userId: number; passwordMark: string };

const LIFETIME_SECONDS = 10 * 60;

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'fingerprint'>;
  baseUrl: string;
};

export function createSignInChallenges(deps: Dependencies): SignInChallenges {
  const { db, clock, secrets, baseUrl } = deps;
  const isSecure = baseUrl.startsWith('https:');
  const name = `${isSecure ? '__Secure-' : ''}steward.second_factor`;
  const buildCookie = (value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/auth; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  // Store a fingerprint: password hashes must not be copied to another table.
  const fingerprintHash = (passwordHash: string) =>
    secrets.fingerprint(`challenge/${passwordHash}`);
  const buildIdentifier = (token: string) => `second_factor:${hashToken(token)}`;

  return {
    deletionCookie: buildCookie('', 0),

    async issue(trx, userId, passwordHash) {
      const now = clock.now();
      const token = randomBytes(32).toString('base64url');
      await deleteExpiredChallenges(trx, now);
      await insertChallenge(trx, {
        identifier: buildIdentifier(token),
        value: { userId, passwordMark: fingerprintHash(passwordHash) },
        now,
        expiresAt: new Date(now.getTime() + LIFETIME_SECONDS * 1000),
      });
      return { cookie: buildCookie(token, LIFETIME_SECONDS) };
    },

    async find(cookieHeader = '') {
      const cookies = cookieHeader.split(';').map((cookie) => cookie.trim());
      const token = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
      if (!token) return null;
      const identifier = buildIdentifier(token);
      const found = await findChallenge<Omit<Challenge, 'identifier'>>(db, identifier, clock.now());
      return found && { ...found, identifier };
    },

    consume: async (trx, { identifier }) =>
      (await consumeChallenge(trx, identifier, clock.now())) !== null,

    matchesPassword: ({ passwordMark }, passwordHash) =>
      passwordMark === fingerprintHash(passwordHash),
  };
}
