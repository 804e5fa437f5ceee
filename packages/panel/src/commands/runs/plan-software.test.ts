import type { UpdatePreview } from '@steward/contract';
import { expect, it } from 'vitest';
import { createPanelApi } from '../panel-api/panel-api.ts';
import { planPluginAction } from './plan-software.ts';

const NAMED_MAX = 100;
const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

/** The panel names at most 100 of the sites that it skips or holds. */
function previewOf(ids: { callable: number[]; held: number[]; skipped: number[] }): UpdatePreview {
  const name = (id: number) => ({ id, name: `site ${id}` });
  const held = ids.held.slice(0, NAMED_MAX);
  const skipped = ids.skipped.slice(0, NAMED_MAX);
  const [pending, current] = [ids.callable.slice(0, 1), ids.callable.slice(1)];
  return {
    to_update: {
      site_ids: pending,
      pending: { plugins: 1, themes: 0, core: 0 },
      sites: pending.map(name),
      items: [],
    },
    items_unsupported: { site_ids: [], sites: [] },
    held: { count: ids.held.length, sites: held.map((id) => ({ ...name(id), explanation: '' })) },
    nothing_pending: { site_ids: current },
    skipped: {
      count: ids.skipped.length,
      sites: skipped.map((id) => ({ ...name(id), status: 'remote_off' })),
    },
    not_found: 0,
  };
}

async function plan(ids: { callable: number[]; held: number[]; skipped: number[] }) {
  const text = JSON.stringify({ success: true, preview: previewOf(ids) });
  const api = createPanelApi(
    async () => ({
      ...{ status: 200, contentType: 'application/json', retryAfter: null, location: null },
      text,
    }),
    'The panel',
  );
  const siteIds = [...ids.callable, ...ids.held, ...ids.skipped];
  const { siteIds: included } = await planPluginAction(api, 'activate', 'shop/shop.php', {
    siteIds,
    withPlugin: siteIds,
  });
  return included;
}

it('a plugin action leaves out all skipped sites, also those that the preview does not name', async () => {
  const [callable, held] = [[1, 2, 3], [4]];
  expect(await plan({ callable, held, skipped: range(1000, 150) })).toEqual([1, 2, 3, 4]);
});

it('a plugin action includes held sites that the preview does not name', async () => {
  const [callable, held] = [[1, 2], range(3, 150)];
  const included = await plan({ callable, held, skipped: [1000] });
  expect(included).toEqual([...callable, ...held]);
});
