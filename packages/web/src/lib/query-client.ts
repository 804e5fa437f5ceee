import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const TRIES = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays one; only what may pass is asked again.
      retry: (count, error) =>
        error instanceof ApiError && (error.status === 0 || error.status >= 500) && count < TRIES,
      // A person reads while the page is refreshed: nothing jumps.
      refetchOnWindowFocus: true,
    },
  },
});
