import { QueryClient } from '@tanstack/react-query';
import { isTransient } from './api.ts';

const MAX_RETRIES = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failureCount, error) => isTransient(error) && failureCount < MAX_RETRIES,
      refetchOnWindowFocus: true,
    },
  },
});
