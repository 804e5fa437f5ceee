import { useQueryClient } from '@tanstack/react-query';

/** Returns a function that reloads channels and the delivery log. */
export function useRefreshNotifications(): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ['notifications', 'channels'] });
    void client.invalidateQueries({ queryKey: ['notifications', 'deliveries'] });
  };
}
