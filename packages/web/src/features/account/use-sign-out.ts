import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { codeOf } from '../../lib/api.ts';
import { sayFault } from '../../lib/notify.ts';
import { changeUser } from '../../lib/session.ts';
import { signOut } from './api.ts';

/** Ends the session and opens the sign-in page. Used by the account page and the palette. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      // The session has already ended elsewhere.
      if (codeOf(error) !== 'unauthenticated') return sayFault(error);
    }
    changeUser(client, null);
    await navigate({ to: '/sign-in' });
  };
}
