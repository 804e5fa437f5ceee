import {
  ERROR_CODES,
  type ItemRefusal,
  type ItemUpdateResult,
  isSameVersion,
  type UpdateItem,
} from '@steward/contract';
import { type InstalledItem, isManagementPlugin, type Platform } from './platform.ts';
import { updateItem } from './update-item.ts';

/** Updates one item, or refuses it without a change. `isInstalled`: the inventory contains the item. */
export async function updateSelectedItem(
  platform: Platform,
  item: UpdateItem,
  isInstalled: boolean,
): Promise<ItemUpdateResult> {
  const { type, slug } = item;
  // Platforms of the agent have no translations.
  if (type === 'translation') return refuse(item, null, 'item_not_found');
  // Read only items of the inventory: a slug is part of a path on some platforms.
  const current = isInstalled ? await platform.find(type, slug) : null;
  const decision = decide(platform, item, current);
  if (decision === 'update') return updateItem(platform, type, slug, item.version);
  if (decision !== 'nothing_to_do') return refuse(item, current, decision);
  const version = current?.version ?? '';
  return { slug, old_version: version, new_version: version, success: true };
}

type Decision = 'update' | 'nothing_to_do' | ItemRefusal;

function decide(platform: Platform, item: UpdateItem, current: InstalledItem | null): Decision {
  const { type, slug, version } = item;
  if (type === 'plugin' && isManagementPlugin(platform, slug)) return 'management_plugin';
  if (!current) return 'item_not_found';
  const wantedVersion = version ?? current.newVersion ?? current.version;
  if (isSameVersion(wantedVersion, current.version)) return 'nothing_to_do';
  // Compare exactly, unlike above: the user saw the offer in this spelling.
  return wantedVersion.trim() === current.newVersion?.trim() ? 'update' : 'offer_changed';
}

function refuse(
  item: UpdateItem,
  current: InstalledItem | null,
  code: ItemRefusal,
): ItemUpdateResult {
  return {
    slug: item.slug,
    ...(current && { old_version: current.version }),
    new_version: current?.version ?? '',
    success: false,
    error: describeRefusal(item, current, code),
    code,
  };
}

function describeRefusal(
  { type, version }: UpdateItem,
  current: InstalledItem | null,
  code: ItemRefusal,
): string {
  if (code === 'management_plugin') return ERROR_CODES.management_plugin.message;
  if (type === 'translation') return 'This site has no translations to update.';
  if (code === 'item_not_found')
    return `This ${type} is not installed on the site any more. Sync the site to refresh its list.`;
  return current?.newVersion === undefined
    ? `The site offers no update to version ${version}. Sync the site, then try again.`
    : `The site offers version ${current.newVersion} instead of ${version}. Sync the site, then try again.`;
}
