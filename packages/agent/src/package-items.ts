import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BulkUpdateResponse,
  ERROR_CODES,
  type InstallItem,
  type ItemRefusal,
  type ItemUpdateResult,
  isSameVersion,
  type RestoreItem,
} from '@steward/contract';
import { type ListedItem, listInstalled, runItems } from './bulk-update.ts';
import { downloadPackage } from './download-package.ts';
import { isManagementPlugin, PackageRejected, type Platform } from './platform.ts';
import { changeItem } from './update-item.ts';

type Reporter = () => Promise<void>;

/** Installs new plugins and themes. After a rejected package, the next item follows. */
export async function installItems(
  platform: Platform,
  reportInventory: Reporter,
  { items, panelUrl }: { items: InstallItem[]; panelUrl: string | null },
): Promise<BulkUpdateResponse> {
  const installed = listInstalled(await platform.inventory());
  const run = (item: InstallItem) =>
    installItem(platform, item, panelUrl).catch((error) => {
      if (error instanceof PackageRejected) return refuse(item, null, error.code, error.message);
      throw error;
    });
  return runItems({ platform, reportInventory, installed, items, hasDetails: true, run });
}

/** Replaces plugins and themes with saved versions. */
export async function restoreItems(
  platform: Platform,
  reportInventory: Reporter,
  items: RestoreItem[],
): Promise<BulkUpdateResponse> {
  const installed = listInstalled(await platform.inventory());
  const run = (item: RestoreItem, known?: ListedItem) => restoreItem(platform, item, known);
  return runItems({ platform, reportInventory, installed, items, hasDetails: true, run });
}

async function installItem(
  platform: Platform,
  item: InstallItem,
  panelUrl: string | null,
): Promise<ItemUpdateResult> {
  const { type, slug, version, package: source } = item;
  if (type === 'plugin' && isManagementPlugin(platform, slug)) return refuseManagement(item);
  // Two items of one call can have the same folder, so read the inventory before each item.
  const current = findInFolder(listInstalled(await platform.inventory()), item);
  if (current) return describeInstalled(item, current);
  const folder = await mkdtemp(join(tmpdir(), 'steward-package-'));
  try {
    const zip = source ? join(folder, 'package.zip') : null;
    if (source && zip) await downloadPackage(source, panelUrl, zip);
    const newSlug = await platform.install({ kind: type, slug, version, zip });
    const listed = listInstalled(await platform.inventory());
    const added = listed.find((other) => other.type === type && other.slug === newSlug);
    const result = { slug, new_version: added?.version ?? '', ...describeNames(item, added) };
    if (added && isSameVersion(added.version, version)) return { ...result, success: true };
    const found = added ? `version ${added.version}` : 'no such item';
    const error = `Found ${found} after the install; expected version ${version}.`;
    return { ...result, success: false, error };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A new item needs a free folder. The folder of a new plugin can already contain another plugin. */
function findInFolder(installed: ListedItem[], { type, slug }: InstallItem) {
  const getFolder = (path: string) =>
    path
      .replace(/\.php$/i, '')
      .split('/')[0]
      ?.toLowerCase();
  const sameType = installed.filter((other) => other.type === type);
  return (
    sameType.find((other) => other.slug === slug) ??
    sameType.find((other) => getFolder(other.slug) === getFolder(slug))
  );
}

function describeInstalled(item: InstallItem, current: ListedItem): ItemUpdateResult {
  // Without a package, the slug names the folder only.
  const isSameItem = item.package === undefined || current.slug === item.slug;
  if (!isSameItem) return refuse(item, null, 'already_installed', describeOther(current));
  if (isSameVersion(current.version, item.version)) {
    // A user may retry an install whose answer was lost, although the site has installed the item.
    const versions = { old_version: current.version, new_version: current.version };
    return { slug: item.slug, ...versions, ...describeNames(item, current), success: true };
  }
  const error = `Version ${current.version} is already installed. Update it instead.`;
  return {
    ...refuse(item, current, 'already_installed', error),
    ...describeNames(item, current),
  };
}

function describeOther({ type, slug, version }: ListedItem): string {
  const [folder] = slug.split('/');
  const found =
    type === 'theme' || slug.includes('/')
      ? `The folder ${folder} contains another ${type}`
      : `The site has another ${type} with this name`;
  return `${found}: ${slug}, version ${version}. Delete it before you install this one.`;
}

/**
 * Returns the name, and the plugin file as `new_plugin` if it differs from the slug: the panel knows the files of its
 * own packages, but not those of the public directory.
 */
function describeNames(item: InstallItem, installed: ListedItem | undefined) {
  return {
    ...(installed?.name && { name: installed.name }),
    ...(installed &&
      item.type === 'plugin' &&
      installed.slug !== item.slug && { new_plugin: installed.slug }),
  };
}

async function restoreItem(
  platform: Platform,
  item: RestoreItem,
  known?: ListedItem,
): Promise<ItemUpdateResult> {
  const { type, slug, version } = item;
  if (type === 'plugin' && isManagementPlugin(platform, slug)) return refuseManagement(item);
  if (!known) {
    const error = `This ${type} is not installed on the site any more. Sync the site to refresh its list.`;
    return refuse(item, null, 'item_not_found', error);
  }
  if (isSameVersion(known.version, version)) {
    return { slug, old_version: known.version, new_version: known.version, success: true };
  }
  if (!known.savedVersions.includes(version)) {
    const error = `The site has no saved version ${version}. Sync the site to see its saved versions.`;
    return refuse(item, known, 'saved_version_missing', error);
  }
  return changeItem(platform, { kind: type, slug }, version, () =>
    platform.restore(type, slug, version),
  );
}

function refuseManagement(item: { slug: string }): ItemUpdateResult {
  return refuse(item, null, 'management_plugin', ERROR_CODES.management_plugin.message);
}

function refuse(
  { slug }: { slug: string },
  current: { version: string } | null,
  code: ItemRefusal,
  error: string,
): ItemUpdateResult {
  const version = current?.version ?? '';
  return {
    slug,
    ...(current && { old_version: version }),
    new_version: version,
    success: false,
    error,
    code,
  };
}
