import {
  type BulkUpdateResponse,
  CORE_SLUG,
  type ItemUpdateResult,
  type UpdateItemType,
} from '@steward/contract';

type UpdatedItem = ItemUpdateResult & { type: UpdateItemType };

/** Lists the items of a response. Adds the error of core, which a response has only in `errors`. */
export function listItems({ results, errors }: BulkUpdateResponse): UpdatedItem[] {
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

function toAuditedItem({ type, slug, name, old_version, new_version, ...item }: UpdatedItem) {
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

function outcomeOf({ success, verified = true, rolled_back }: Partial<UpdatedItem>): string {
  if (success) return verified ? 'succeeded' : 'unverified';
  return rolled_back ? 'rolled_back' : 'failed';
}
