import { ensureScreensBuilt } from '@steward/web/ready';
import { shareResource } from './share-resource.ts';

/** Builds the screens once before the tests, so that the panels do not all build them at the same time. */
export default async function setup(): Promise<() => Promise<void>> {
  const { stop } = await shareResource('screens', async () => {
    await ensureScreensBuilt();
    return { stop: async () => {} };
  });
  return stop;
}
