import {
  CORE,
  DIRECTORY_PLUGIN,
  PLUGINS,
  type Scenario,
  THEMES,
} from '@steward/conformance/site-under-test.ts';
import { describeSiteEndpoints } from '@steward/conformance/suite.ts';
import {
  createMemoryOptions,
  createMemoryPlatform,
  type MemoryItem,
} from '@steward/testkit/sites/memory-platform.ts';
import { serveSite } from './support/served-site.ts';

const start = () =>
  serveSite(async (scenario) => {
    const platform = createMemoryPlatform(prepareState(scenario), PLUGINS.management.file);
    return {
      platform,
      options: createMemoryOptions(),
      async readState() {
        const { plugins, themes, core } = platform.state;
        const readVersions = (items: Record<string, MemoryItem>) =>
          Object.fromEntries(Object.entries(items).map(([name, item]) => [name, item.version]));
        return {
          plugins: readVersions(plugins),
          themes: readVersions(themes),
          core: core.version,
          active: Object.keys(plugins).filter((file) => plugins[file]?.active),
        };
      },
    };
  });

describeSiteEndpoints('the agent on the memory platform', start);
describeSiteEndpoints('the agent on the memory platform', start, { isSigned: true });

function prepareState(scenario: Scenario) {
  const {
    updates,
    coreUpdate,
    requiresCore,
    packageVersion,
    fileChangesDisabled = false,
  } = scenario;
  const plugins: Record<string, MemoryItem> = {};
  for (const [name, plugin] of Object.entries(PLUGINS)) {
    const isPending = 'newVersion' in plugin && updates !== 'none';
    const isExcluded = name === 'corrupt' && updates !== 'one_corrupt';
    plugins[plugin.file] = {
      version: plugin.version,
      active: plugin.active,
      ...('requires' in plugin && { requires: [PLUGINS.parent.file] }),
      ...(isPending && !isExcluded && { newVersion: plugin.newVersion }),
      ...(name === 'good' && requiresCore !== undefined && { requiresCore }),
      ...(name === 'good' && packageVersion !== undefined && { packageVersion }),
      ...(name === 'corrupt' && {
        updateFails: 'The package could not be unpacked.',
        failureCode: 'package_rejected',
      }),
    };
  }
  const { plain, spare } = THEMES;
  return {
    plugins,
    themes: {
      plain: {
        version: plain.version,
        active: true,
        ...(updates !== 'none' && { newVersion: plain.newVersion }),
      },
      spare: { version: spare.version },
    },
    core: { version: CORE.version, ...(coreUpdate && { newVersion: CORE.newVersion }) },
    directory: { [DIRECTORY_PLUGIN.file]: DIRECTORY_PLUGIN.version },
    fileChangesDisabled,
  };
}
