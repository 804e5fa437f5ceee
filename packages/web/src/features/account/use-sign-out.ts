import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { errorCodeOf } from '../../lib/api.ts';
import { notifyError } from '../../lib/notify.ts';
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
      // `unauthenticated` means that the session has already ended, so the sign-out continues.
      if (errorCodeOf(error) !== 'unauthenticated') return notifyError(error);
    }
    // Messages about the work of this user must not stay on the sign-in page.
    notifications.clean();
    changeUser(client, null);
    await navigate({ to: '/sign-in' });
  };
}
