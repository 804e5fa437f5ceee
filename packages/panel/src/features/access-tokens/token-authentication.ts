import type { TokenAuthentication } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { hashToken } from '../../platform/secrets.ts';
import { findLiveToken, markUsed } from './access-tokens.repository.ts';

/** A busy script must not write for each of its requests. */
const MARK_USED_INTERVAL_MS = 60_000;

/**
 * Authenticates the access token of a request. The database finds the token by its hash, so the time of the lookup reveals
 * nothing about the token.
 */
export function createTokenAuthentication({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): TokenAuthentication {
  return {
    async authenticate(text, ip) {
      const now = clock.now();
      const found = await findLiveToken(db, Buffer.from(hashToken(text), 'hex'), now);
      if (!found) throw new AppError('token_invalid');
      if (!found.could_create) throw new AppError('token_sites_changed');
      const { id, name, creator_id, actions, user, last_used_at } = found;
      if (!last_used_at || now.getTime() - last_used_at.getTime() >= MARK_USED_INTERVAL_MS) {
        await markUsed(db, id, { now, ip, intervalMs: MARK_USED_INTERVAL_MS });
      }
      return {
        user,
        token: { id, name, userId: creator_id, actions },
        mustSetUpSecondFactor: found.must_set_up_second_factor,
      };
    },
  };
}
