import { makeScreensReady } from '@steward/web/ready';
import { sharePart } from './shared-part.ts';

/** Panels serve the screens as they are in the working tree; several at once would each build them. */
export default async function setup(): Promise<() => Promise<void>> {
  const { stop } = await sharePart('screens', async () => {
    await makeScreensReady();
    return { stop: async () => {} };
  });
  return stop;
}
