import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';
import {
  deleteExpiredChallenges,
  findChallenge,
  insertChallenge,
  takeChallenge,
} from './challenges.repository.ts';

/**
 * Between the password and the second factor: a cookie with a random token says whose password was
 * right. It opens nothing by itself, and ends after ten minutes or with the password.
 */
export type SignInChallenges = {
  /** `cookie`: for Set-Cookie. */
  issue(trx: Trx, userId: number, passwordHash: string): Promise<{ cookie: string }>;
  find(cookieHeader: string | undefined): Promise<Challenge | null>;
  /** Uses it up; false when another request has. */
  take(trx: Trx, challenge: Challenge): Promise<boolean>;
  isOf(challenge: Challenge, passwordHash: string): boolean;
  forgettingCookie: string;
};

export type Challenge = { identifier: string; userId: number; passwordMark: string };

const LIFE_SECONDS = 10 * 60;

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
  const cookieOf = (value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/auth; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  // The hash of a password is not to be copied elsewhere, not even for a comparison.
  const markOf = (passwordHash: string) => secrets.fingerprint(`challenge/${passwordHash}`);
  const identifierOf = (token: string) => `second_factor:${hashToken(token)}`;

  return {
    forgettingCookie: cookieOf('', 0),

    async issue(trx, userId, passwordHash) {
      const now = clock.now();
      const token = randomBytes(32).toString('base64url');
      await deleteExpiredChallenges(trx, now);
      await insertChallenge(trx, {
        identifier: identifierOf(token),
        value: { userId, passwordMark: markOf(passwordHash) },
        now,
        expiresAt: new Date(now.getTime() + LIFE_SECONDS * 1000),
      });
      return { cookie: cookieOf(token, LIFE_SECONDS) };
    },

    async find(cookieHeader = '') {
      const cookies = cookieHeader.split(';').map((cookie) => cookie.trim());
      const token = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
      if (!token) return null;
      const identifier = identifierOf(token);
      const found = await findChallenge<Omit<Challenge, 'identifier'>>(db, identifier, clock.now());
      return found && { ...found, identifier };
    },

    take: async (trx, { identifier }) =>
      (await takeChallenge(trx, identifier, clock.now())) !== null,

    isOf: ({ passwordMark }, passwordHash) => passwordMark === markOf(passwordHash),
  };
}
