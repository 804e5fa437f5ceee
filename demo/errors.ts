import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Inventory, ItemErrorGroup } from '@steward/contract';
import { pluginFile } from './packages.ts';
import { FAULTY_PLUGIN, PLUGINS } from './software.ts';

/** The first visitor meets the error so long after the update. */
export const FIRST_ERROR_MS = 1500;

/** The errors of the faulty plugin since the site was updated to its new version. */
export async function findErrors(
  { plugins }: Inventory,
  siteRoot: string,
): Promise<ItemErrorGroup[]> {
  const slug = pluginFile(FAULTY_PLUGIN);
  const { version } = PLUGINS[FAULTY_PLUGIN];
  if (plugins.find(({ plugin }) => plugin === slug)?.version !== version) return [];
  const firstAt = (await stat(join(siteRoot, 'plugins', slug))).ctimeMs + FIRST_ERROR_MS;
  if (Date.now() < firstAt) return [];
  const count = Math.ceil((Date.now() - firstAt) / 60_000);
  return [
    {
      ...{ type: 'plugin', slug, version },
      message:
        'Uncaught TypeError: Subscriber::confirm(): Argument #1 must be of type string, null given',
      place: 'includes/subscriber.php:84',
      ...{ request_kind: 'front', is_confirmed: true, count },
      first_at: new Date(firstAt).toISOString(),
      last_at: new Date().toISOString(),
    },
  ];
}
