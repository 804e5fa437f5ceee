import type { AuditExportFormat, AuditRecord } from '@steward/contract';

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
] as const satisfies (keyof AuditRecord)[];

export function formatExportHeader(format: AuditExportFormat): string {
  return format === 'csv' ? csvLine([...COLUMNS]) : '';
}

export function formatExportRecord(record: AuditRecord, format: AuditExportFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(record)}\n`;
  return csvLine(
    COLUMNS.map((column) => {
      const value = record[column];
      if (value === null) return '';
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    }),
  );
}

/** RFC 4180. */
function csvLine(cells: string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string): string {
  // Prevents formula injection in spreadsheets.
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
