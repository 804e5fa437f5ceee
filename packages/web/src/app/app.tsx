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

// Rarely asked, and not by who signs in.
const ConfirmIdentityDialog = lazy(
  () => import('../features/account/components/confirm-identity-dialog.tsx'),
);

/** The whole app, with everything its pages need around them. */
export function App({ router }: { router: AppRouter }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <Notifications position="bottom-right" autoClose={5000} />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Suspense fallback={null}>
          <ConfirmIdentityDialog />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Leaves the signed-in pages when the panel says that the session has ended. */
export function leaveWhenSignedOut(router: AppRouter): void {
  onSignedOut(() => {
    if (queryClient.getQueryData(sessionQuery.queryKey) == null) return;
    changeUser(queryClient, null);
    void router.invalidate();
  });
  // Everything else is closed until there is one.
  onSecondFactorMissing(() => {
    if (router.state.location.pathname !== '/account') void router.navigate({ to: '/account' });
  });
}
