import { count } from '../lib/format.ts';

type Context = Record<string, unknown>;
type AuditedItem = {
  slug?: string;
  name?: string;
  /** The requested version, in a record without outcomes. */
  version?: string;
  old_version?: string;
  new_version?: string;
  outcome?: string;
};

/** A sentence names up to this number of items. For more items it gives only numbers: "5 updates", "3 plugins, 1 theme". */
const NAMED_ITEMS_MAX = 3;

const OUTCOMES: Record<string, string> = {
  failed: ' failed',
  rolled_back: ' rolled back',
  unverified: ' unverified',
};

/** ": Shop 1.0 → 2.0, Form failed", or ": 3 plugins, 1 theme, core, 1 failed". */
export function itemsOf(context: Context): string {
  const items = Array.isArray(context.items) ? (context.items as AuditedItem[]) : [];
  if (items.length === 0 || items.length > NAMED_ITEMS_MAX) return countsOf(context);
  return `: ${items.map(describeAuditedItem).join(', ')}`;
}

/** "Shop 1.0 → 2.0", "Form rolled back"; "Shop 2.0" for a requested version. */
export function describeAuditedItem(item: AuditedItem): string {
  const name = item.name ?? item.slug ?? '';
  if (item.outcome === undefined && item.version) return `${name} ${item.version}`;
  const outcome = OUTCOMES[item.outcome ?? ''] ?? '';
  const isChanged = item.outcome === 'succeeded' || item.outcome === 'unverified';
  // A newly installed item has no old version.
  const installed =
    item.old_version === undefined && item.new_version ? ` ${item.new_version}` : '';
  return `${name}${isChanged ? versionsOf(item) || installed : ''}${outcome}`;
}

/** " 1.0 → 2.0" */
export function versionsOf({ old_version, new_version }: AuditedItem | Context): string {
  if (typeof old_version !== 'string' || typeof new_version !== 'string') return '';
  return old_version === new_version ? ` ${new_version}` : ` ${old_version} → ${new_version}`;
}

const REQUESTS: Record<string, string> = { install: 'installation', restore: 'restore' };

/**
 * "updates" for all pending updates, "update of Shop 2.0, Form" for up to three selected items, "5 updates" for more. An
 * install or a restore reads "installation of …" or "restore of …".
 */
export function requestedItemsOf({ kind, items, items_total }: Context): string {
  if (!Array.isArray(items) || items.length === 0) return 'updates';
  const request = REQUESTS[String(kind)] ?? 'update';
  if (Number(items_total) > NAMED_ITEMS_MAX) return count(Number(items_total), request);
  const names = (items as { slug?: string; name?: string; version?: string }[]).map(
    ({ slug = '', name = slug, version }) => `${name}${version === undefined ? '' : ` ${version}`}`,
  );
  return `${request} of ${names.join(', ')}`;
}

const COUNTED = [
  ['plugins', 'plugin'],
  ['themes', 'theme'],
] as const;

function countsOf(context: Context): string {
  const counts = context as Record<string, { updated?: number; failed?: number } | undefined>;
  const updated = COUNTED.flatMap(([kind, one]) => {
    const number = counts[kind]?.updated ?? 0;
    return number > 0 ? [count(number, one)] : [];
  });
  if ((counts.core?.updated ?? 0) > 0) updated.push('core');
  const failed = ['plugins', 'themes', 'core']
    .map((kind) => counts[kind]?.failed ?? 0)
    .reduce((sum, number) => sum + number, 0);
  const parts = [...updated, ...(failed > 0 ? [`${failed} failed`] : [])];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}
