import { useQuery } from '@tanstack/react-query';
import type { Run } from '../../lib/runs-api.ts';
import { useHasPermission, useUser } from '../../lib/session.ts';
import { usersQuery } from '../../lib/users-api.ts';
import { runsMessages } from '../../messages/runs.ts';

/** Returns a function that names the user who started a run. Only owners see the names of other users. */
export function useStarterNames(): (run: Pick<Run, 'created_by' | 'token_name'>) => string {
  const user = useUser();
  const isOwner = useHasPermission('owner');
  const { data } = useQuery({ ...usersQuery, enabled: isOwner, staleTime: 60_000 });
  const nameOf = (userId: number | null) => {
    const { starter } = runsMessages;
    if (userId === null) return starter.panel;
    if (userId === user.id) return starter.you;
    if (!isOwner) return starter.other;
    return data?.users.find(({ id }) => id === userId)?.name ?? starter.unknown;
  };
  return ({ created_by, token_name }) =>
    token_name === undefined
      ? nameOf(created_by)
      : runsMessages.starter.withToken(nameOf(created_by), token_name);
}
