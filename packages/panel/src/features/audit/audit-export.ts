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
  return format === 'csv' ? formatCsvLine([...COLUMNS]) : '';
}

export function formatExportRecord(record: AuditRecord, format: AuditExportFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(record)}\n`;
  return formatCsvLine(
    COLUMNS.map((column) => {
      const value = record[column];
      if (value === null) return '';
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    }),
  );
}

/** Formats one line of a CSV file (RFC 4180). */
function formatCsvLine(cells: string[]): string {
  return `${cells.map(formatCsvCell).join(',')}\r\n`;
}

function formatCsvCell(value: string): string {
  // A leading quote keeps spreadsheets from running the value as a formula.
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
