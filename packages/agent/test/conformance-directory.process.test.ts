import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGINS } from '@steward/conformance/site-under-test.ts';
import { describeSiteEndpoints } from '@steward/conformance/suite.ts';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { prepareSiteFolder } from '@steward/testkit/sites/conformance-folder.ts';
import { afterAll } from 'vitest';
import { createDirectoryPlatform } from '../src/platforms/directory/index.ts';
import { serveSite } from './support/served-site.ts';

const folder = mkdtempSync(join(scratchRoot(), 'steward-site-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = () =>
  serveSite(async (scenario) => {
    const { root, feed, readState } = await prepareSiteFolder(join(folder, 'shop'), scenario);
    const platform = await createDirectoryPlatform({
      root,
      feed,
      managementPlugin: PLUGINS.management.file,
      allowFileChanges: !scenario.fileChangesDisabled,
    });
    await platform.refreshUpdateChecks();
    return { platform, options: platform.state.options, readState };
  });

describeSiteEndpoints('the agent on the directory platform', start);
describeSiteEndpoints('the agent on the directory platform', start, { isSigned: true });
