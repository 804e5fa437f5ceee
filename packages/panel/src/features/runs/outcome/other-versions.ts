import { type BulkUpdateResponse, isSameVersion, VERSION_MAX_LENGTH } from '@steward/contract';
import type { RunItem } from '../tables.ts';
import { listItems } from './updated-items.ts';

/**
 * Finds the items that a site changed to another version than the call named. Nothing is known about that version: a
 * rule or a quarantine may hold it back. Returns the body with these items as unverified, and a sentence for each of
 * the first five.
 */
export function markOtherVersions(
  body: BulkUpdateResponse,
  requested: RunItem[] | null,
): { body: BulkUpdateResponse; notes: string[] } {
  const versions = new Map(requested?.map((item) => [toKey(item), item.version]));
  const others = listItems(body).filter(({ type, slug, success, new_version }) => {
    const version = type === 'translation' ? undefined : versions.get(toKey({ type, slug }));
    if (!success || version === undefined) return false;
    return !isSameVersion(new_version.slice(0, VERSION_MAX_LENGTH), version);
  });
  if (others.length === 0) return { body, notes: [] };
  const keys = new Set(others.map(toKey));
  const mark =
    (type: RunItem['type']) =>
    <Item extends { slug: string }>(item: Item): Item =>
      keys.has(toKey({ type, slug: item.slug })) ? { ...item, verified: false } : item;
  const { plugins, themes, core } = body.results;
  const isOtherCore = others.some(({ type }) => type === 'core');
  const results = {
    ...body.results,
    plugins: plugins.map(mark('plugin')),
    themes: themes.map(mark('theme')),
    core: core && isOtherCore ? { ...core, verified: false } : core,
  };
  const notes = others.slice(0, NAMED_ITEMS_MAX).map((item) => {
    const name = item.type === 'core' ? 'core' : (item.name ?? item.slug);
    return describeOtherVersion(name, item.new_version, versions.get(toKey(item)) ?? '');
  });
  return { body: { ...body, results }, notes };
}

export const describeOtherVersion = (name: string, installed: string, requested: string) =>
  `The site installed version ${installed} of ${name}, not version ${requested}. Check the site.`;

const NAMED_ITEMS_MAX = 5;

const toKey = ({ type, slug }: Pick<RunItem, 'type' | 'slug'>) => `${type} ${slug}`;
