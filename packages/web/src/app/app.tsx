import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { onSecondFactorMissing, onSignedOut } from '../lib/api.ts';
import { queryClient } from '../lib/query-client.ts';
import { changeUser, sessionQuery } from '../lib/session.ts';
import type { AppRouter } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

// Lazy-loaded: few visits open this dialog, and the sign-in page never does.
const ConfirmIdentityDialog = lazy(
  () => import('../features/account/components/confirm-identity-dialog.tsx'),
);

export function App({ router }: { router: AppRouter }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      {/* At the top, so that a notification does not cover the selection bar at the bottom. */}
      <Notifications position="top-center" autoClose={5000} />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Suspense fallback={null}>
          <ConfirmIdentityDialog />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
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
