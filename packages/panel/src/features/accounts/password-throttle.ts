import { toAddressGroup } from '../../platform/address-group.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditEntry, RepeatedEvents } from '../audit/index.ts';
import {
  type AttemptCount,
  countAttempt,
  decrementAttempts,
  deleteAttempts,
  deleteAttemptsByPrefix,
  deleteExpiredAttempts,
} from './password-attempts.repository.ts';

const WINDOW_MINUTES = 15;

/** Per kind of counter: an attacker with many addresses reaches the limit of each of them. */
const RECORDS_PER_DAY = 100;

/** Attempts from unknown devices on one account, from all addresses together. */
const ACCOUNT_LIMIT = 100;

/**
 * A counter of attempts. With `isClearedOnSuccess`, a correct password deletes the counter. Several clients share the
 * other counters, so a correct password subtracts only its own attempt.
 */
export type AttemptCounter = { key: string; limit: number; isClearedOnSuccess: boolean };

/**
 * Limits attempts with passwords and codes. The counters are in the database, so they apply to all processes together
 * and survive a restart.
 */
export type PasswordThrottle = {
  /**
   * A known device has its own limit, independent of other clients. Unknown devices have three limits: per
   * account, per address, and per account and address. The third is the lowest: it stops an attacker before the other
   * two lock out other users.
   */
  getSignInCounters(email: string, from: { ip: string; device: string | null }): AttemptCounter[];
  /** Passkeys cannot be guessed, so this limit only bounds the load. It is separate from the password limits. */
  getPasskeyCounter(ip: string): AttemptCounter;
  /** Each start of a sign-in with a passkey stores a challenge for some minutes. */
  getPasskeyStartCounter(ip: string): AttemptCounter;
  /** Each request for a new password may send an e-mail. */
  getResetCounter(ip: string): AttemptCounter;
  /** For users who enter their current password: an attacker with a stolen session must not guess the password. */
  getOwnPasswordCounter(userId: number): AttemptCounter;
  /** For second-factor codes: three of a million one-time codes are valid at any time. */
  getCodeCounter(userId: number): AttemptCounter;
  /**
   * Increases the counters in order and throws `rate_limited` at the first one over its limit. Call it before checking the
   * password, so that concurrent attempts count too.
   */
  registerAttempt(counters: AttemptCounter[], origin: AuditOrigin): Promise<void>;
  /** Call it after a correct password or code. */
  recordSuccess(trx: Trx, counters: AttemptCounter[]): Promise<void>;
  /** Deletes expired counters: without a sign-in, nothing else does. */
  deleteExpired(): Promise<void>;
  /** Call it after a new password was set for the user. */
  reset(trx: Trx, user: { id: number; email: string }): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'fingerprint'>;
  repeatedEvents: Pick<RepeatedEvents, 'record'>;
};

export function createPasswordThrottle(deps: Dependencies): PasswordThrottle {
  const { db, clock, secrets, repeatedEvents } = deps;

  // Stored as a fingerprint: the submitted address may be a password typed into the wrong field.
  const fingerprintEmail = (email: string) => secrets.fingerprint(`sign-in/${email}`);
  const getAddressCounter = (ip: string): AttemptCounter => ({
    key: `address:${toAddressGroup(ip)}`,
    limit: 50,
    isClearedOnSuccess: false,
  });

  return {
    getSignInCounters(email, { ip, device }) {
      const account = fingerprintEmail(email);
      if (device)
        return [{ key: `device:${account}:${device}`, limit: 10, isClearedOnSuccess: true }];
      return [
        getAddressCounter(ip),
        { key: `pair:${account}:${toAddressGroup(ip)}`, limit: 10, isClearedOnSuccess: true },
        { key: `account:${account}`, limit: ACCOUNT_LIMIT, isClearedOnSuccess: false },
      ];
    },
    getPasskeyCounter: (ip) => ({
      key: `passkey:${toAddressGroup(ip)}`,
      limit: 500,
      isClearedOnSuccess: false,
    }),
    getPasskeyStartCounter: (ip) => ({
      key: `passkey_start:${toAddressGroup(ip)}`,
      limit: 500,
      isClearedOnSuccess: false,
    }),
    getResetCounter: (ip) => ({
      key: `reset:${toAddressGroup(ip)}`,
      limit: 10,
      isClearedOnSuccess: false,
    }),
    getOwnPasswordCounter: (userId) => ({
      key: `own:${userId}`,
      limit: 10,
      isClearedOnSuccess: true,
    }),
    getCodeCounter: (userId) => ({ key: `code:${userId}`, limit: 10, isClearedOnSuccess: true }),

    async registerAttempt(counters, origin) {
      const now = clock.now();
      const windowEndsAt = new Date(now.getTime() + WINDOW_MINUTES * 60_000);
      const exceeded = await db.transaction().execute(async (trx) => {
        for (const { key, limit } of counters) {
          const count = await countAttempt(trx, key, now, windowEndsAt);
          if (count.attempts <= limit) continue;
          // One audit record per window; further attempts add no information.
          if (count.attempts === limit + 1) {
            const options = { recordsPerDay: RECORDS_PER_DAY };
            await repeatedEvents.record(trx, origin, buildAuditEntry(count), options);
          }
          // A refused attempt does not increase the remaining counters, which other clients share.
          return count;
        }
        return null;
      });
      if (exceeded === null) return;
      const until = exceeded.window_ends_at.getTime();
      throw new AppError('rate_limited', {
        message: 'Too many attempts. Wait for the time in the Retry-After header, then try again.',
        retryAfterSeconds: Math.max(1, Math.ceil((until - now.getTime()) / 1000)),
      });
    },

    async recordSuccess(trx, counters) {
      for (const { key, isClearedOnSuccess } of counters) {
        await (isClearedOnSuccess ? deleteAttempts(trx, key) : decrementAttempts(trx, key));
      }
      await deleteExpiredAttempts(trx, clock.now());
    },

    deleteExpired: () => db.transaction().execute((trx) => deleteExpiredAttempts(trx, clock.now())),

    async reset(trx, { id, email }) {
      const account = fingerprintEmail(email);
      // Same lock order as registerAttempt.
      for (const kind of ['pair', 'device'])
        await deleteAttemptsByPrefix(trx, `${kind}:${account}:`);
      for (const key of [`account:${account}`, `own:${id}`]) await deleteAttempts(trx, key);
      await deleteExpiredAttempts(trx, clock.now());
    },
  };
}

function buildAuditEntry({ subject, window_ends_at }: AttemptCount): AuditEntry {
  const [kind = ''] = subject.split(':', 1);
  return {
    action: 'throttle',
    entityType: 'sign_in',
    entityId: kind,
    context: { until: window_ends_at },
  };
}
