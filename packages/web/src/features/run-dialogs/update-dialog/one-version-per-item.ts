import type { RolloutItem } from '@steward/contract';
import type { OfferedItem } from './update-preview-api.ts';

export const itemKey = ({ type, slug }: Pick<OfferedItem, 'type' | 'slug'>) => `${type} ${slug}`;

/** Lists the chosen items of which sites offer several versions. Each entry has all versions of one item. */
export function listAmbiguous(chosen: OfferedItem[]): OfferedItem[][] {
  return [...Map.groupBy(chosen, itemKey).values()].filter((versions) => versions.length > 1);
}

/** Keeps one version of each item: the one that the user chose, or the one that most sites offer. */
export function keepOneVersion(
  chosen: OfferedItem[],
  versionByItem: Readonly<Record<string, string>>,
): OfferedItem[] {
  return [...Map.groupBy(chosen, itemKey)].map(([key, versions]) => {
    const wanted = versions.find(({ version }) => version === versionByItem[key]);
    return wanted ?? mostOffered(versions);
  });
}

const mostOffered = (versions: OfferedItem[]) =>
  versions.reduce((most, each) => (each.site_ids.length > most.site_ids.length ? each : most));

export const toRolloutItem = ({ type, slug, version, name }: OfferedItem): RolloutItem => ({
  type,
  slug,
  version,
  name: name.slice(0, 200),
});
