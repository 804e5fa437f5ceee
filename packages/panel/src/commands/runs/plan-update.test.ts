import { PassThrough } from 'node:stream';
import type { OfferedItem, Preflight, UpdatePreview } from '@steward/contract';
import { expect, it } from 'vitest';
import { createCommandContext } from '../command-context.ts';
import { createPanelApi } from '../panel-api/panel-api.ts';
import { planUpdate } from './plan-update.ts';

const WARNING = 'A core update cannot be rolled back. Back up each site first.';
const offer = (type: 'plugin' | 'core', siteIds: number[]): OfferedItem => ({
  ...{ type, slug: type, name: type, version: '2.0', old_versions: ['1.0'] },
  site_ids: siteIds,
});

type Fleet = {
  items: OfferedItem[];
  /** Sites with a core update and a Steward plugin that cannot install a choice of updates. */
  unsupported?: number[];
  /** Sites on which every update would fail. */
  failing?: number[];
};

async function printPlan({ items, unsupported = [], failing = [] }: Fleet, hasChoice: boolean) {
  const ids = [...new Set([...items.flatMap(({ site_ids }) => site_ids), ...unsupported])];
  const coreSites = items.filter(({ type }) => type === 'core').flatMap((item) => item.site_ids);
  const core = coreSites.length + unsupported.length;
  const preview: UpdatePreview = {
    to_update: { site_ids: ids, pending: { plugins: 1, themes: 0, core }, sites: [], items },
    items_unsupported: { site_ids: unsupported, sites: [] },
    held: { count: 0, sites: [] },
    nothing_pending: { site_ids: [] },
    skipped: { count: 0, sites: [] },
    not_found: 0,
  };
  const preflight: Preflight = {
    ...{ groups: [], warnings: [], certain_site_ids: failing, unchecked: { count: 0, sites: [] } },
    ...{ checked: ids.length, not_found: 0, without_backup: { count: 0, sites: [] } },
  };
  const api = createPanelApi(
    async ({ path }) => ({
      ...{ status: 200, contentType: 'application/json', retryAfter: null, location: null },
      text: JSON.stringify({
        success: true,
        ...(path.endsWith('/preflight') ? { preflight } : { preview }),
      }),
    }),
    'The panel',
  );
  const choice = { includesFailing: false, ...(hasChoice && { includesItem: () => true }) };
  const plan = await planUpdate(api, ids, choice);
  let output = '';
  const stdout = { write: (text: string) => (output += text) };
  plan.print(createCommandContext({ env: {}, stdin: new PassThrough(), stdout, stderr: stdout }));
  return output;
}

it('an update of core warns that it cannot be rolled back', async () => {
  expect(await printPlan({ items: [offer('core', [1, 2])] }, false)).toContain(WARNING);
  expect(await printPlan({ items: [offer('core', [1])] }, true)).toContain(WARNING);
});

it('an update without core does not warn', async () => {
  expect(await printPlan({ items: [offer('plugin', [1])] }, false)).not.toContain(WARNING);
});

it('an update that leaves out the sites with core does not warn', async () => {
  const items = [offer('plugin', [1]), offer('core', [2])];
  expect(await printPlan({ items, failing: [2] }, false)).not.toContain(WARNING);
});

it('an update of all items warns of core on sites whose items are not listed', async () => {
  const fleet = { items: [offer('plugin', [1])], unsupported: [2] };
  expect(await printPlan(fleet, false)).toContain(WARNING);
  expect(await printPlan(fleet, true)).not.toContain(WARNING);
});
