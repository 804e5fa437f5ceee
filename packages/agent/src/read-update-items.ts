import {
  CORE_SLUG,
  PLUGIN_FILE_PATTERN,
  TRANSLATIONS_SLUG,
  UPDATE_ITEM_TYPES,
  UPDATE_ITEMS_MAX,
  UpdateItem,
  type UpdateItemType,
} from '@steward/contract';
import Value from 'typebox/value';
import { SiteError } from './site-error.ts';

/** One folder: no `..`, no slash, no backslash, no control character. */
const THEME_FOLDER_PATTERN = '^(?!.*\\.\\.)(?!\\.)[^/\\\\\\x00-\\x1f\\x7f]+$';
export const SLUG_PATTERNS: Record<UpdateItemType, RegExp> = {
  plugin: new RegExp(PLUGIN_FILE_PATTERN, 'u'),
  theme: new RegExp(THEME_FOLDER_PATTERN, 'u'),
  core: new RegExp(`^${CORE_SLUG}$`),
  translation: new RegExp(`^${TRANSLATIONS_SLUG}$`),
};
const SHOWN_SLUG_LENGTH = 100;

/**
 * Returns the items of an update call, or null for all pending updates. Only a missing `items` means all updates:
 * `items: null` or an invalid list must not update more than the panel selected.
 */
export function readUpdateItems(body: unknown): UpdateItem[] | null {
  if (!isRecord(body)) throw new SiteError('invalid_request', 'The body is not a JSON object.');
  if (body.items === undefined) return null;
  return readItems(body.items, UPDATE_ITEMS_MAX, findProblem).map((item) => {
    const { type, slug, version } = item as UpdateItem;
    return { type, slug, ...(version !== undefined && { version }) };
  });
}

/** Checks a list of items. `describeProblem` returns why an item is invalid, or null. The error names the item. */
export function readItems(
  items: unknown,
  maxItems: number,
  describeProblem: (item: unknown) => string | null,
): Pick<UpdateItem, 'type' | 'slug'>[] {
  if (!Array.isArray(items) || items.length === 0 || items.length > maxItems) {
    throw new SiteError('invalid_items', `items must be a list of 1 to ${maxItems} items.`);
  }
  const positions = new Map<string, number>();
  return items.map((item: unknown, index) => {
    const position = index + 1;
    const problem = describeProblem(item);
    if (problem) throw createItemError(item, position, problem);
    const { type, slug } = item as UpdateItem;
    const original = positions.get(`${type} ${slug}`);
    if (original) throw createItemError(item, position, `is a duplicate of item ${original}.`);
    positions.set(`${type} ${slug}`, position);
    return item as UpdateItem;
  });
}

function findProblem(item: unknown): string | null {
  if (!isRecord(item)) return 'is not an object.';
  const type = UPDATE_ITEM_TYPES.find((name) => name === item.type);
  if (!type) return `has an unknown type. Use one of ${UPDATE_ITEM_TYPES.join(', ')}.`;
  const { slug: Slug, version: Version } = UpdateItem.properties;
  if (!Value.Check(Slug, item.slug) || !SLUG_PATTERNS[type].test(item.slug))
    return 'has an invalid slug.';
  if (item.version !== undefined && !Value.Check(Version, item.version)) {
    return 'has an invalid version.';
  }
  return null;
}

function createItemError(item: unknown, position: number, problem: string): SiteError {
  const slug = isRecord(item) && typeof item.slug === 'string' ? item.slug : '';
  const name = slug && ` (${slug.slice(0, SHOWN_SLUG_LENGTH)})`;
  return new SiteError('invalid_items', `Item ${position}${name} ${problem}`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
