import { TOKEN_LICENSE_CHANGES_MAX } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { addLicenseChange } from './access-tokens.repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A session confirms each change of a license that gives or takes access. An access token cannot confirm, so the number
 * of its changes is limited.
 */
export type LicenseChangeLimit = {
  /**
   * Counts a change in its own transaction, after the license is locked. Throws 429 `rate_limited` above the limit, which
   * rolls the change back. Does nothing without an access token.
   */
  count(trx: Trx, origin: AuditOrigin): Promise<void>;
};

export function createLicenseChangeLimit({ clock }: { clock: Clock }): LicenseChangeLimit {
  return {
    async count(trx, { token }) {
      if (!token) return;
      const now = clock.now();
      const since = new Date(now.getTime() - DAY_MS);
      const times = await addLicenseChange(trx, token.id, { now, since });
      const allowedAt = findAllowedTime(times);
      if (allowedAt === null) return;
      throw new AppError('rate_limited', {
        message: `This access token has made ${TOKEN_LICENSE_CHANGES_MAX} changes of licenses in the last 24 hours, which is the limit. Nothing was changed. Try again later, or make the change in the panel.`,
        retryAfterSeconds: Math.max(1, Math.ceil((allowedAt.getTime() - now.getTime()) / 1000)),
      });
    },
  };
}

/** Returns when the newest of these changes is within the limit; null: it is now. `times` are of one day, oldest first. */
export function findAllowedTime(times: readonly Date[]): Date | null {
  const lastInTheWay = times[times.length - TOKEN_LICENSE_CHANGES_MAX - 1];
  return lastInTheWay ? new Date(lastInTheWay.getTime() + DAY_MS) : null;
}
