import { ensureScreensBuilt } from '@steward/web/ready';
import { sharePart } from './shared-part.ts';

/** Builds the screens once before the tests; otherwise every panel would build them at the same time. */
export default async function setup(): Promise<() => Promise<void>> {
  const { stop } = await sharePart('screens', async () => {
    await ensureScreensBuilt();
    return { stop: async () => {} };
  });
  return stop;
}
