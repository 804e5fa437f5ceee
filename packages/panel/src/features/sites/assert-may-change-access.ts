import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { listExpiredBots } from '../access-tokens/index.ts';
import type { CurrentUser, UserOfGrant } from '../site-access/index.ts';

/**
 * A tag or a client can give users access to its sites. Only owners change access, after a confirmation, and no access token
 * does. `listUsers` finds the users whose access would change, `describe` names the change.
 */
export async function assertMayChangeAccess(
  trx: Trx,
  listUsers: () => Promise<UserOfGrant[]>,
  describe: (name: string) => string,
  { user, origin, now }: { user: CurrentUser; origin: AuditOrigin; now: Date },
): Promise<void> {
  const { token, session } = origin;
  const isOwner = user.role === 'owner' && !token;
  if (isOwner && session?.isConfirmed !== false) return;
  const granted = await findValidGrant(trx, await listUsers(), now);
  if (granted === undefined) return;
  if (isOwner) throw new AppError('confirmation_required');
  const actor = token ? 'Only signed-in owners, not access tokens,' : 'Only owners';
  throw new AppError('forbidden', {
    message: `${actor} can ${describe(granted.name)}, because it gives users access to sites.`,
  });
}

/** Ignores the grants of expired access tokens. */
async function findValidGrant(
  trx: Trx,
  grants: UserOfGrant[],
  now: Date,
): Promise<UserOfGrant | undefined> {
  const userIds = grants.map(({ user_id }) => user_id);
  const expired = new Set(await listExpiredBots(trx, userIds, now));
  return grants.find(({ user_id }) => !expired.has(user_id));
}
