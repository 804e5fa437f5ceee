import { afterAll, beforeAll, describe } from 'vitest';
import { describeAccess } from './cases/access.ts';
import { describeBulkUpdate } from './cases/bulk-update.ts';
import { describeOneWriter } from './cases/one-writer.ts';
import { describePluginAction } from './cases/plugin-action.ts';
import { createSiteCaller } from './site-caller.ts';
import type { SiteUnderTest } from './site-under-test.ts';

/** Every statement about the endpoints on a site, checked over HTTP. */
export function describeSiteSide(
  name: string,
  start: () => Promise<SiteUnderTest & { stop(): Promise<void> }>,
): void {
  describe(`a site side: ${name}`, () => {
    let site: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      site = await start();
    });
    afterAll(() => site.stop());

    const caller = createSiteCaller(() => site);
    describeAccess(caller);
    describePluginAction(caller);
    describeBulkUpdate(caller);
    describeOneWriter(caller);
  });
}
