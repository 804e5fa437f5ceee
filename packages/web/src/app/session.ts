import type { PanelUser, Permission, SessionResponse } from '@steward/contract';
import { roleMay } from '@steward/contract';
import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, codeOf, setToken } from '../lib/api.ts';

type Session = Static<typeof SessionResponse>;

/** Null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async (): Promise<PanelUser | null> => {
    try {
      const session = await api<Session>('/panel/session');
      setToken(session.csrf_token);
      return session.user;
    } catch (error) {
      if (codeOf(error) === 'unauthenticated') return null;
      throw error;
    }
  },
});

/** Who is signed in, on pages that only such people see. */
export function useUser(): PanelUser {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data) throw new Error('Nobody is signed in.');
  return data;
}

/** Whether whoever is signed in may do this at all; on which sites, the panel knows. */
export function useMay(permission: Permission): boolean {
  return roleMay(useUser().role, permission);
}

/** Begins a session: what somebody else has seen before on this page is forgotten. */
export function useBeginSession(): (session: Session) => void {
  const client = useQueryClient();
  return (session) => {
    client.clear();
    setToken(session.csrf_token);
    client.setQueryData(sessionQuery.queryKey, session.user);
  };
}
