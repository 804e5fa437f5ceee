import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@steward/contract';
import type { BetterAuthOptions } from 'better-auth';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { PasswordHashing } from './passwords.ts';

export type AuthDependencies = {
  pool: pg.Pool;
  secrets: Pick<Secrets, 'keyFor'>;
  clock: Clock;
  baseUrl: string;
  hashing: PasswordHashing;
};

/** For how long somebody stays signed in. It is not stretched by use: a stolen cookie ends too. */
const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** Where better-auth reads the caller's address. We set it ourselves, from what the proxy rules say. */
export const CLIENT_IP_HEADER = 'x-steward-client-ip';

/** better-auth on our tables, with everything off that the panel has no use for. */
export function authOptions({ pool, secrets, clock, baseUrl, hashing }: AuthDependencies) {
  return {
    appName: 'Steward',
    baseURL: baseUrl,
    basePath: '/auth',
    // As a list, because a list given here is the one thing its own environment variables do not
    // override.
    secrets: [{ version: 1, value: secrets.keyFor('session_cookies').toString('hex') }],
    database: pool,
    telemetry: { enabled: false },
    // It would log the address that somebody typed, and that may be a password in the wrong field.
    logger: { disabled: true },
    // Ours is in the database: it holds across processes and restarts.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN_LENGTH,
      maxPasswordLength: PASSWORD_MAX_LENGTH,
      password: hashing,
    },
    ...TABLES,
    session: { ...TABLES.session, expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    databaseHooks: {
      session: { create: { before: async () => ({ data: sessionTimes(clock.now()) }) } },
    },
    advanced: {
      cookiePrefix: 'steward',
      useSecureCookies: baseUrl.startsWith('https:'),
      database: { generateId: 'serial' },
      ipAddress: { ipAddressHeaders: [CLIENT_IP_HEADER], ipv6Subnet: 128 },
    },
    // One query for a user with their password, so that an unknown address takes as long.
    experimental: { joins: true },
  } satisfies BetterAuthOptions;
}

/** The panel has one clock, also for what better-auth writes. */
function sessionTimes(now: Date) {
  const expiresAt = new Date(now.getTime() + SESSION_SECONDS * 1000);
  return { createdAt: now, updatedAt: now, expiresAt };
}

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' };

/** What better-auth calls things, and what our migration calls them. */
const TABLES = {
  user: { modelName: 'users', fields: { emailVerified: 'email_verified', ...TIMES } },
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'user_id',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      expiresAt: 'expires_at',
      ...TIMES,
    },
  },
  account: {
    modelName: 'user_credentials',
    fields: {
      userId: 'user_id',
      providerId: 'provider_id',
      accountId: 'account_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...TIMES,
    },
  },
  verification: { modelName: 'verifications', fields: { expiresAt: 'expires_at', ...TIMES } },
};
