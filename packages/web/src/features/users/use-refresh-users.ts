import type { UserSummary } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { sessionQuery, useUser } from '../../lib/session.ts';
import { usersQuery } from '../../lib/users-api.ts';

/** Refetches the users. Refetches the session too if the user changed their own account: the role may be different. */
export function useRefreshUsers(): (changed: UserSummary) => Promise<unknown> {
  const client = useQueryClient();
  const self = useUser();
  return async (changed) => {
    await client.invalidateQueries({ ...usersQuery, exact: true });
    if (changed.id === self.id) await client.invalidateQueries(sessionQuery);
  };
}
