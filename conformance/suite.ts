import { afterAll, beforeAll, describe } from 'vitest';
import { createCallSigner } from './call-signer.ts';
import { describeAccess } from './cases/access.ts';
import { describeBulkUpdate } from './cases/bulk-update.ts';
import { describeInstall } from './cases/install.ts';
import { describeInvalidItems } from './cases/invalid-items.ts';
import { describeItems } from './cases/items.ts';
import { describeOneWriter } from './cases/one-writer.ts';
import { describePluginAction } from './cases/plugin-action.ts';
import { describePreflight } from './cases/preflight.ts';
import { describeRefusedItems } from './cases/refused-items.ts';
import { describeRestore } from './cases/restore.ts';
import { describeSignatures } from './cases/signatures.ts';
import { createSiteCaller } from './site-caller.ts';
import type { SiteUnderTest } from './site-under-test.ts';

/**
 * Tests the site endpoints over HTTP. With `isSigned`, the site stores the panel's public key and requires signed
 * calls. Without it, the site has only the options of the specification.
 */
export function describeSiteEndpoints(
  name: string,
  start: () => Promise<SiteUnderTest & { stop(): Promise<void> }>,
  { isSigned = false } = {},
): void {
  describe(`site endpoints: ${name}${isSigned ? ', with signed calls' : ''}`, () => {
    let site: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      site = await start();
    });
    afterAll(() => site.stop());

    const signer = isSigned ? createCallSigner() : null;
    const caller = createSiteCaller(() => site, signer);
    describeAccess(caller);
    describePluginAction(caller);
    describeBulkUpdate(caller);
    describeOneWriter(caller);
    describeInvalidItems(caller, signer);
    describeInstall(caller, signer);
    if (!signer) return;
    describeSignatures(caller, signer);
    // These extensions do not depend on signatures, so test them only with signed calls.
    describeItems(caller);
    describeRefusedItems(caller);
    describeRestore(caller);
    describePreflight(caller);
  });
}
