import type { PanelUser, Permission, SessionResponse } from '@steward/contract';
import { roleMay } from '@steward/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Static } from 'typebox';
import { api, errorCodeOf, setCsrfToken } from './api.ts';

type Session = Static<typeof SessionResponse>;

/** The signed-in user. Null if no user is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ client }): Promise<PanelUser | null> => {
    try {
      const session = await api<Session>('/panel/session');
      setCsrfToken(session.csrf_token);
      // Another user may have signed in with this browser, in another tab.
      const previous = client.getQueryData<PanelUser | null>(['session']);
      if (previous && previous.id !== session.user.id) clearCache(client);
      return session.user;
    } catch (error) {
      if (errorCodeOf(error) === 'unauthenticated') return null;
      throw error;
    }
  },
});

/** Provided by the frame, so that every page has a user. */
export const UserContext = createContext<PanelUser | null>(null);

/** The signed-in user. Only for pages inside the frame. */
export function useUser(): PanelUser {
  const user = use(UserContext);
  if (!user) throw new Error('useUser() needs a UserContext.');
  return user;
}

/** Whether the role of the user has this permission. The panel also checks access to the site. */
export function useHasPermission(permission: Permission): boolean {
  return roleMay(useUser().role, permission);
}

/** Sets the user after a sign-in or sign-out, and removes the data of the previous user. */
export function changeUser(client: QueryClient, session: Session | null): void {
  setCsrfToken(session?.csrf_token ?? '');
  client.setQueryData(sessionQuery.queryKey, session?.user ?? null);
  clearCache(client);
}

function clearCache(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  client.getMutationCache().clear();
}
