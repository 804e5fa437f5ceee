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

const PARTS = ['basics', 'specification', 'extensions'] as const;
type Part = (typeof PARTS)[number];

/**
 * Tests the site endpoints over HTTP. With `isSigned`, the site stores the panel's public key and requires signed
 * calls. Without it, the site has only the options of the specification. A slow site tests the `parts` in several
 * files, side by side, and tests without signatures only the part `basics`: who may call, updates and syncs.
 */
export function describeSiteEndpoints(
  name: string,
  start: () => Promise<SiteUnderTest & { stop(): Promise<void> }>,
  { isSigned = false, parts = PARTS }: { isSigned?: boolean; parts?: readonly Part[] } = {},
): void {
  describe(`site endpoints: ${name}${isSigned ? ', with signed calls' : ''}`, () => {
    let site: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      site = await start();
    });
    afterAll(() => site.stop());

    const signer = isSigned ? createCallSigner() : null;
    const caller = createSiteCaller(() => site, signer);
    if (parts.includes('basics')) {
      describeAccess(caller);
      describeBulkUpdate(caller);
    }
    if (parts.includes('specification')) {
      describePluginAction(caller);
      describeOneWriter(caller);
      describeInvalidItems(caller, signer);
      if (signer) describeSignatures(caller, signer);
    }
    if (!parts.includes('extensions')) return;
    describeInstall(caller, signer);
    // The other extensions do not depend on signatures. Testing them once, with signed calls, is enough.
    if (!signer) return;
    describeItems(caller);
    describeRefusedItems(caller);
    describeRestore(caller);
    describePreflight(caller);
  });
}
