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

/** Session lifetime. Activity does not extend it, so a stolen cookie expires too. */
const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** The header that better-auth reads the client address from. The panel sets it after applying TRUST_PROXY. */
export const CLIENT_IP_HEADER = 'x-steward-client-ip';

/** Configures better-auth for our tables and disables all features that the panel does not use. */
export function buildAuthOptions({ pool, secrets, clock, baseUrl, hashing }: AuthDependencies) {
  return {
    appName: 'Steward',
    baseURL: baseUrl,
    basePath: '/auth',
    // A list, because better-auth's environment variables override every other form of this option.
    secrets: [{ version: 1, value: secrets.keyFor('session_cookies').toString('hex') }],
    database: pool,
    telemetry: { enabled: false },
    // better-auth logs the submitted e-mail address, which may be a password typed into the wrong field.
    logger: { disabled: true },
    // The panel has its own throttle in the database, which works across processes and restarts.
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
      session: { create: { before: async () => ({ data: buildSessionTimes(clock.now()) }) } },
    },
    advanced: {
      cookiePrefix: 'steward',
      useSecureCookies: baseUrl.startsWith('https:'),
      database: { generateId: 'serial' },
      ipAddress: { ipAddressHeaders: [CLIENT_IP_HEADER], ipv6Subnet: 128 },
    },
    // Reads user and password in one query: an unknown address must take as long as a wrong password.
    experimental: { joins: true },
  } satisfies BetterAuthOptions;
}

/** Session times from the panel's clock instead of better-auth's own. */
function buildSessionTimes(now: Date) {
  const expiresAt = new Date(now.getTime() + SESSION_SECONDS * 1000);
  return { createdAt: now, updatedAt: now, expiresAt };
}

const TIMESTAMPS = { createdAt: 'created_at', updatedAt: 'updated_at' };

/** Maps better-auth's names to the tables and columns of our migration. */
const TABLES = {
  user: { modelName: 'users', fields: { emailVerified: 'email_verified', ...TIMESTAMPS } },
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'user_id',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      expiresAt: 'expires_at',
      ...TIMESTAMPS,
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
      ...TIMESTAMPS,
    },
  },
  verification: { modelName: 'verifications', fields: { expiresAt: 'expires_at', ...TIMESTAMPS } },
};
