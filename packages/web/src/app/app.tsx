import './mantine-styles.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { useNotifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { onSecondFactorMissing, onSignedOut } from '../lib/api.ts';
import { useIsConfirming } from '../lib/confirmation.ts';
import { queryClient } from '../lib/query-client.ts';
import { changeUser, sessionQuery } from '../lib/session.ts';
import type { AppRouter } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

// Lazy-loaded, because pages can render without them.
const Notifications = lazy(() => import('./notifications.tsx'));
const ConfirmIdentityDialog = lazy(
  () => import('../features/account/components/confirm-identity-dialog.tsx'),
);

export function App({ router }: { router: AppRouter }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      // `mantine-styles.css` has no variables, so the theme sets all of them. They are already in the script.
      deduplicateCssVariables={false}
    >
      <NotificationArea />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Confirmation />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Shows notifications. Their code is loaded with the first one. */
function NotificationArea() {
  const { notifications } = useNotifications();
  const [isUsed, setUsed] = useState(false);
  if (notifications.length > 0 && !isUsed) setUsed(true);
  return <Suspense fallback={null}>{isUsed && <Notifications />}</Suspense>;
}

/** Asks the user to confirm their identity when the panel requires it for a call. The call waits for the result. */
function Confirmation() {
  const isConfirming = useIsConfirming();
  return <Suspense fallback={null}>{isConfirming && <ConfirmIdentityDialog />}</Suspense>;
}

/** Opens the sign-in page when the session has ended, and the account page when a required second factor is missing. */
export function redirectOnAuthErrors(router: AppRouter): void {
  onSignedOut(() => {
    if (queryClient.getQueryData(sessionQuery.queryKey) == null) return;
    changeUser(queryClient, null);
    void router.invalidate();
  });
  // The panel refuses the requests of all other pages until the user adds a second factor.
  onSecondFactorMissing(() => {
    if (router.state.location.pathname !== '/account') void router.navigate({ to: '/account' });
  });
}
