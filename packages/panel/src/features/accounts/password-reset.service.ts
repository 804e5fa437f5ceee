import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { IssuedLink, OneTimeLinks } from './one-time-links.ts';
import type { PasswordThrottle } from './password-throttle.ts';
import { normalizeEmail } from './user-fields.ts';
import { findPasswordHash, findUser, lockUser } from './users.repository.ts';

/** The mails about an account. The notifications feature sends them. */
export type AccountMails = {
  /** Whether a mail server is configured. */
  isAvailable: boolean;
  /** Runs after the response. Failures are logged. */
  inBackground(work: () => Promise<void>): void;
  /** Null from `issue`, or too many mails to this user: sends nothing. */
  sendResetLink(userId: number, issue: (trx: Trx) => Promise<IssuedLink | null>): Promise<void>;
  sendPasswordChanged(userId: number): void;
};

export type PasswordResetService = ReturnType<typeof createPasswordResetService>;

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  links: OneTimeLinks;
  throttle: PasswordThrottle;
  mails: AccountMails;
};

/** Sends users a link with which they choose a new password. */
export function createPasswordResetService(deps: Dependencies) {
  const { db, audit, links, throttle, mails } = deps;

  /** Only for a user who can sign in with a password: an invitation may have expired on purpose. */
  async function sendLink(email: string, origin: AuditOrigin): Promise<void> {
    const user = await findUser(db, { email });
    if (!user) return;
    await mails.sendResetLink(user.id, async (trx) => {
      const locked = await lockUser(trx, user.id);
      if (locked?.email !== email || locked.disabled_at !== null) return null;
      if ((await findPasswordHash(trx, { userId: user.id })) === null) return null;
      const link = await links.issueForReset(trx, user.id);
      await audit.record(trx, origin, {
        action: 'mail_reset_link',
        entityType: 'user',
        entityId: user.id,
        context: { expires_at: link.expiresAt },
      });
      return link;
    });
  }

  return {
    isAvailable: mails.isAvailable,

    /**
     * Does the same for each address until the response, so that neither its text nor its time shows whether the address
     * has an account.
     */
    async request(email: string, ip: string, origin: AuditOrigin): Promise<void> {
      if (!mails.isAvailable) throw new AppError('password_reset_unavailable');
      await throttle.registerAttempt([throttle.getResetCounter(ip)], origin);
      mails.inBackground(() => sendLink(normalizeEmail(email), origin));
    },
  };
}
