import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const MAX_RETRIES = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only transient errors are worth a retry: no connection, or a server error.
      retry: (count, error) =>
        error instanceof ApiError &&
        (error.status === 0 || error.status >= 500) &&
        count < MAX_RETRIES,
      refetchOnWindowFocus: true,
    },
  },
});
