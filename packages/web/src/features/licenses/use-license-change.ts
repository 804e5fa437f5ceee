import { useQueryClient } from '@tanstack/react-query';
import { licensesChanged } from '../../lib/licenses-api.ts';
import { sayDone } from '../../lib/notify.ts';

/**
 * Waits for a change, says that it is done, and has everything about licenses asked for again. Also
 * after a refusal: the license is not what the page took it for.
 */
export function useLicenseChange() {
  const client = useQueryClient();
  return async (change: Promise<unknown>, done: string): Promise<void> => {
    try {
      await change;
      sayDone(done);
    } finally {
      await licensesChanged(client);
    }
  };
}
