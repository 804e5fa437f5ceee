import type { AuditExportFormat, AuditRecord } from '@steward/contract';
import { formatCsvLine } from '../../platform/csv-line.ts';

/** A record with the names of its user, its site and its entity. */
export type NamedRecord = AuditRecord & {
  actor_name: string | null;
  site: string | null;
  entity_name: string | null;
};

const COLUMNS = [
  'id',
  'at',
  'actor',
  'action',
  'entity_type',
  'entity_id',
  'site_id',
  'context',
  'ip',
  'request_id',
  'actor_name',
  'site',
] as const satisfies (keyof NamedRecord)[];

// New columns come last, because scripts may read the columns by position.
const LAST_COLUMNS = ['changes', 'entity_name'];

export function formatExportHeader(format: AuditExportFormat): string {
  return format === 'csv' ? formatCsvLine([...COLUMNS, ...LAST_COLUMNS]) : '';
}

export function formatExportRecord(record: NamedRecord, format: AuditExportFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(record)}\n`;
  const cells = COLUMNS.map((column) => {
    const value = record[column];
    if (value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
  return formatCsvLine([...cells, describeChanges(record), record.entity_name ?? '']);
}

type AuditedItem = Record<'slug' | 'name' | 'old_version' | 'new_version' | 'outcome', unknown>;

/** Describes the items of an update for readers: `Shop 1.0 → 2.0 (succeeded); Form 1.0 → 1.0 (failed)`. */
function describeChanges({ context: { items } }: AuditRecord): string {
  if (!Array.isArray(items)) return '';
  return (items as AuditedItem[])
    .filter(({ outcome }) => outcome !== undefined)
    .map(({ slug, name, old_version, new_version, outcome }) => {
      const versions = old_version === undefined ? new_version : `${old_version} → ${new_version}`;
      return `${name ?? slug} ${versions} (${outcome})`;
    })
    .join('; ');
}
