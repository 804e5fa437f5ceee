import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { cssVariables, theme } from './app/theme.ts';
import { onSignedOut } from './lib/api.ts';
import { queryClient } from './lib/query-client.ts';
import { changeUser, sessionQuery } from './lib/session.ts';

onSignedOut(() => {
  if (queryClient.getQueryData(sessionQuery.queryKey) == null) return;
  changeUser(queryClient, null);
  void router.invalidate();
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <Notifications position="bottom-right" autoClose={5000} />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
