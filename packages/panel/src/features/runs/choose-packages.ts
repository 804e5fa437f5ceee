import type { DirectoryItem } from '@steward/contract';
import type { RunItem } from './tables.ts';

/** A folder that an installed plugin or theme uses. */
export type UsedFolder = { type: RunItem['type']; folder: string };

/** Chooses the items to install on a site, without those whose folder exists there: an installation replaces nothing. */
export function choosePackages(requested: RunItem[], used: UsedFolder[]): RunItem[] {
  return requested.filter(
    (item) => !used.some(({ type, folder }) => type === item.type && folder === folderOf(item)),
  );
}

/** The folder of a plugin `folder/file.php`, of a theme, or of an item in the public directory. */
export function folderOf({ slug }: Pick<RunItem, 'slug'>): string {
  return slug.split('/')[0] ?? slug;
}

/** Drops unknown fields: a `package_id` in the request would install the package of another user. */
export function toDirectoryItem({ type, slug, version }: DirectoryItem): RunItem {
  return { type, slug, version };
}
