import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import { addressGroup } from './address-group.ts';
import {
  type AttemptCount,
  countAttempt,
  deleteOldAttempts,
  forgetAllOf,
  forgetAttempts,
  takeBackAttempt,
} from './password-attempts.repository.ts';

const WINDOW_MINUTES = 15;

/** What strangers may try at one account, from all addresses together. */
const ACCOUNT_LIMIT = 100;

/**
 * What tries are counted for. A right password forgives all wrong ones where only one person tries;
 * where strangers may be among them, it only takes back its own.
 */
export type Subject = { key: string; limit: number; isForgiven: boolean };

/**
 * How often a password may be tried, counted in the database: it holds for all processes together
 * and outlives a restart.
 */
export type PasswordThrottle = {
  /**
   * A device where the account signed in before has its own allowance, whatever others do. All others
   * share one for the account, one for their address, and a small one for both together: a stranger
   * uses up their own before they keep anybody else out.
   */
  signIn(email: string, from: { ip: string; device: string | null }): Subject[];
  /** Nobody guesses a passkey: this only bounds the work, apart from wrong passwords. */
  passkey(ip: string): Subject;
  /** For changing one's own password, so that a stolen session cannot guess it. */
  ownPassword(userId: number): Subject;
  /** For the codes of a second factor: of a million there are three right ones at a time. */
  code(userId: number): Subject;
  /**
   * Before the password is looked at, so that tries at the same moment count too. Counts for one subject after another,
   * up to the first that is over its limit.
   */
  begin(subjects: Subject[], origin: Origin): Promise<void>;
  /** After it was right. */
  succeed(trx: Trx, subjects: Subject[]): Promise<void>;
  /** After a new password was set for the user. */
  forgive(trx: Trx, user: { id: number; email: string }): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'fingerprint'>;
  audit: AuditService;
};

export function createPasswordThrottle(deps: Dependencies): PasswordThrottle {
  const { db, clock, secrets, audit } = deps;

  // By its fingerprint: what is typed into the field of an address may be a password.
  const markOf = (email: string) => secrets.fingerprint(`sign-in/${email}`);
  const address = (ip: string): Subject => ({
    key: `address:${addressGroup(ip)}`,
    limit: 50,
    isForgiven: false,
  });

  return {
    signIn(email, { ip, device }) {
      const account = markOf(email);
      if (device) return [{ key: `device:${account}:${device}`, limit: 10, isForgiven: true }];
      return [
        address(ip),
        { key: `pair:${account}:${addressGroup(ip)}`, limit: 10, isForgiven: true },
        { key: `account:${account}`, limit: ACCOUNT_LIMIT, isForgiven: false },
      ];
    },
    passkey: (ip) => ({ key: `passkey:${addressGroup(ip)}`, limit: 500, isForgiven: false }),
    ownPassword: (userId) => ({ key: `own:${userId}`, limit: 10, isForgiven: true }),
    code: (userId) => ({ key: `code:${userId}`, limit: 10, isForgiven: true }),

    async begin(subjects, origin) {
      const now = clock.now();
      const windowEndsAt = new Date(now.getTime() + WINDOW_MINUTES * 60_000);
      const exceeded = await db.transaction().execute(async (trx) => {
        for (const { key, limit } of subjects) {
          const count = await countAttempt(trx, key, now, windowEndsAt);
          if (count.attempts <= limit) continue;
          // Once in a window is news; each of a thousand further tries is not.
          if (count.attempts === limit + 1) await audit.record(trx, origin, recordOf(count));
          // It is refused here, and does not count for what others share with it.
          return count;
        }
        return null;
      });
      if (exceeded === null) return;
      const until = exceeded.window_ends_at.getTime();
      throw new AppError('rate_limited', {
        message: 'Too many wrong tries. Wait as long as Retry-After says.',
        retryAfterSeconds: Math.max(1, Math.ceil((until - now.getTime()) / 1000)),
      });
    },

    async succeed(trx, subjects) {
      for (const { key, isForgiven } of subjects) {
        await (isForgiven ? forgetAttempts(trx, key) : takeBackAttempt(trx, key));
      }
      await deleteOldAttempts(trx, clock.now());
    },

    async forgive(trx, { id, email }) {
      const account = markOf(email);
      // In the order in which tries are counted.
      for (const kind of ['pair', 'device']) await forgetAllOf(trx, `${kind}:${account}:`);
      for (const key of [`account:${account}`, `own:${id}`]) await forgetAttempts(trx, key);
      await deleteOldAttempts(trx, clock.now());
    },
  };
}

function recordOf({ subject, window_ends_at }: AttemptCount) {
  const [kind = ''] = subject.split(':', 1);
  return {
    action: 'throttle',
    entityType: 'sign_in',
    entityId: kind,
    context: { until: window_ends_at },
  };
}
