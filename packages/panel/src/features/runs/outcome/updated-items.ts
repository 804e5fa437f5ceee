import {
  type BulkUpdateResponse,
  CORE_SLUG,
  type ItemUpdateResult,
  type RunKind,
  type UpdateItemType,
} from '@steward/contract';
import type { UpdatedItem } from '../../release-health/index.ts';
import type { RunRequest, TaskStatus } from '../tables.ts';

type ListedItem = ItemUpdateResult & { type: UpdateItemType };

/** Lists the items of a response. Adds the error of core, which a response has only in `errors`. */
export function listItems({ results, errors }: BulkUpdateResponse): ListedItem[] {
  const { plugins, themes, core, translations = [] } = results;
  const coreError = errors.find(({ type }) => type === 'core')?.error;
  const coreItem = core && { ...core, slug: CORE_SLUG, ...(coreError && { error: coreError }) };
  return [
    ...plugins.map((item) => ({ ...item, type: 'plugin' as const })),
    ...themes.map((item) => ({ ...item, type: 'theme' as const })),
    ...(coreItem ? [{ ...coreItem, type: 'core' as const }] : []),
    ...translations.map((item) => ({ ...item, type: 'translation' as const })),
  ];
}

/** Lists the items of a task that have another version now, also those whose site could not check its pages. */
export function listWatchedItems(
  { kind, request }: { kind: RunKind; request: RunRequest },
  { status, details }: { status: TaskStatus; details: BulkUpdateResponse | null },
  versions?: { name: string | null; old_version: string | null; new_version: string | null },
): UpdatedItem[] {
  if (kind === 'update') {
    return (details ? listItems(details) : []).flatMap((item) => {
      const { type, success, old_version = null, new_version: to_version } = item;
      if (type === 'translation' || !success || old_version === to_version) return [];
      const slug = item.new_plugin ?? item.slug;
      return [{ type, slug, name: item.name ?? slug, from_version: old_version, to_version }];
    });
  }
  const isPluginUpdate = kind === 'plugin_action' && request.action === 'update';
  const isDone = status === 'succeeded' || status === 'unverified';
  const { old_version = null, new_version = null, name = null } = versions ?? {};
  if (!isPluginUpdate || !isDone || new_version === null || new_version === old_version) return [];
  const slug = request.plugin ?? '';
  const from_version = old_version;
  return [{ type: 'plugin', slug, name: name ?? slug, from_version, to_version: new_version }];
}

/** The audit log grows with every run, so its records contain a bounded number of items and short reasons. */
const AUDITED_ITEMS_MAX = 50;
const REASON_MAX_LENGTH = 300;

/** Describes what changed on a site: each item with its versions, its outcome and the reason of a failure. */
export function toAuditedItems(details: BulkUpdateResponse) {
  const items = listItems(details);
  if (items.length === 0) return {};
  const omitted = items.length - AUDITED_ITEMS_MAX;
  return {
    items: items.slice(0, AUDITED_ITEMS_MAX).map(toAuditedItem),
    ...(omitted > 0 && { items_omitted: omitted }),
  };
}

function toAuditedItem({ type, slug, name, old_version, new_version, ...item }: ListedItem) {
  return {
    type,
    slug,
    ...(name !== undefined && { name }),
    ...(old_version !== undefined && { old_version }),
    new_version,
    outcome: outcomeOf(item),
    ...(item.error !== undefined && { reason: item.error.slice(0, REASON_MAX_LENGTH) }),
  };
}

function outcomeOf({ success, verified = true, rolled_back }: Partial<ListedItem>): string {
  if (success) return verified ? 'succeeded' : 'unverified';
  return rolled_back ? 'rolled_back' : 'failed';
}
