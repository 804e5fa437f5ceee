import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const MAX_RETRIES = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retry only transient errors: no connection, or a server error.
      retry: (failureCount, error) =>
        error instanceof ApiError &&
        (error.status === 0 || error.status >= 500) &&
        failureCount < MAX_RETRIES,
      refetchOnWindowFocus: true,
    },
  },
});
