import type { UsersResponse } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';
import { useMay, useUser } from '../../lib/session.ts';

/** Names whoever started a run. Only owners see runs of others, and only they may ask who is who. */
export function usePeople(): (userId: number | null) => string {
  const user = useUser();
  const isOwner = useMay('owner');
  const { data } = useQuery({
    queryKey: ['people'],
    enabled: isOwner,
    staleTime: 60_000,
    queryFn: ({ signal }) => api<Static<typeof UsersResponse>>('/panel/users', { signal }),
  });
  return (userId) => {
    if (userId === null) return 'the panel';
    if (userId === user.id) return 'you';
    return data?.users.find(({ id }) => id === userId)?.name ?? 'somebody';
  };
}
