import { useQueryClient } from '@tanstack/react-query';

/** Returns a function that reloads channels, the delivery log and the state of the mail server. */
export function useRefreshNotifications(): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ['notifications', 'channels'] });
    void client.invalidateQueries({ queryKey: ['notifications', 'deliveries'] });
    void client.invalidateQueries({ queryKey: ['notifications', 'mail'] });
  };
}
