import type { PanelUser, Permission, SessionResponse } from '@steward/contract';
import { roleMay } from '@steward/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Static } from 'typebox';
import { api, codeOf, setToken } from './api.ts';

type Session = Static<typeof SessionResponse>;

/** Null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ client }): Promise<PanelUser | null> => {
    try {
      const session = await api<Session>('/panel/session');
      setToken(session.csrf_token);
      // Somebody else has signed in with this browser, on another page.
      const before = client.getQueryData<PanelUser | null>(['session']);
      if (before && before.id !== session.user.id) forgetWhatWasSeen(client);
      return session.user;
    } catch (error) {
      if (codeOf(error) === 'unauthenticated') return null;
      throw error;
    }
  },
});

/** Given by the frame, so that a page never finds itself without. */
export const UserContext = createContext<PanelUser | null>(null);

/** Who is signed in, on pages that only such people see. */
export function useUser(): PanelUser {
  const user = use(UserContext);
  if (!user) throw new Error('This page needs somebody signed in.');
  return user;
}

/** Whether whoever is signed in may do this at all; on which sites, the panel knows. */
export function useMay(permission: Permission): boolean {
  return roleMay(useUser().role, permission);
}

/** Somebody signs in, or out. What was seen before on this page is forgotten. */
export function changeUser(client: QueryClient, session: Session | null): void {
  setToken(session?.csrf_token ?? '');
  client.setQueryData(sessionQuery.queryKey, session?.user ?? null);
  forgetWhatWasSeen(client);
}

function forgetWhatWasSeen(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  client.getMutationCache().clear();
}
