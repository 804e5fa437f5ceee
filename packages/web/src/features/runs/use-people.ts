import { useQuery } from '@tanstack/react-query';
import { useMay, useUser } from '../../lib/session.ts';
import { usersQuery } from '../../lib/users-api.ts';

/** Names whoever started a run. Only owners see runs of others, and only they may ask who is who. */
export function usePeople(): (userId: number | null) => string {
  const user = useUser();
  const isOwner = useMay('owner');
  const { data } = useQuery({ ...usersQuery, enabled: isOwner, staleTime: 60_000 });
  return (userId) => {
    if (userId === null) return 'the panel';
    if (userId === user.id) return 'you';
    return data?.users.find(({ id }) => id === userId)?.name ?? 'somebody';
  };
}
