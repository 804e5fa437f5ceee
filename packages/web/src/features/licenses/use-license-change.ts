import { useQueryClient } from '@tanstack/react-query';
import { refreshLicenses } from '../../lib/licenses-api.ts';
import { notifySuccess } from '../../lib/notify.ts';

/**
 * Waits for a change, shows a notification and refetches all license data. Also refetches after an error, which may
 * mean that another user has changed the license.
 */
export function useLicenseChange() {
  const client = useQueryClient();
  return async (change: Promise<unknown>, done: string): Promise<void> => {
    try {
      await change;
      notifySuccess(done);
    } finally {
      await refreshLicenses(client);
    }
  };
}
