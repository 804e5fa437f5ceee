import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import type { AuditRecord } from '@steward/contract';
import type { LinkWithRecord } from './audit-chain.repository.ts';
import { formatExportRecord, type NamedRecord } from './audit-export.ts';
import type { AuditHashes, Link } from './audit-hashes.ts';
import { addPosition, type DetachCheckpoint, type PositionRange } from './detached-records.ts';
import type { StoredRecord } from './stored-record.ts';

/**
 * The export of detached records: a line of JSON for each record, in the order of the hash chain, then a line with the
 * signed manifest. A line has the fields of the usual export, and those that its hash covers in addition.
 */

export type SealedRecord = LinkWithRecord & { record: StoredRecord };

type ExportedLine = NamedRecord & {
  /** As stored: `at` and `context` lose information in JSON. */
  stored: Pick<StoredRecord, 'at' | 'context' | 'previous_seq' | 'previous_hash'>;
  link: Omit<Link, 'record_id'>;
};

type ManifestLine = { manifest: DetachCheckpoint; mac: string };

export type ExportSummary = Pick<
  DetachCheckpoint,
  | 'records'
  | 'positions'
  | 'first_record_id'
  | 'last_record_id'
  | 'previous_hash'
  | 'hash'
  | 'sha256'
>;

/** Collects what the manifest states about the lines. */
export function createExportSummary() {
  const digest = createHash('sha256');
  const positions: PositionRange[] = [];
  let records = 0;
  let [first, last]: (Link | null)[] = [null, null];
  return {
    add(line: string, link: Link): void {
      digest.update(line);
      addPosition(positions, link.seq);
      first ??= link;
      last = link;
      records++;
    },
    /** The link that the next one must continue, if the next one has the next position. */
    getLast: () => last,
    finish: (): ExportSummary => ({
      records,
      positions,
      first_record_id: first?.record_id ?? 0,
      last_record_id: last?.record_id ?? 0,
      previous_hash: first?.previous_hash ?? '',
      hash: last?.hash ?? '',
      sha256: digest.digest('hex'),
    }),
  };
}

export function toExportedRecord({ record }: SealedRecord): AuditRecord {
  const { id, at, actor, action, entity_type, entity_id, site_id, context, ip, request_id } =
    record;
  return {
    ...{ id, at: formatTime(at), actor, action, entity_type, entity_id, site_id },
    ...{ context: JSON.parse(context), ip, request_id },
  };
}

/** Without floating-point arithmetic, which could lose a millisecond. */
function formatTime(epochSeconds: string): string {
  const [seconds, fraction = ''] = epochSeconds.split('.');
  return new Date(Number(`${seconds}${fraction.slice(0, 3).padEnd(3, '0')}`)).toISOString();
}

export function formatLine(named: NamedRecord, { record, ...link }: SealedRecord): string {
  const { at, context, previous_seq, previous_hash } = record;
  const line: ExportedLine = {
    ...named,
    stored: { at, context, previous_seq, previous_hash },
    link: {
      seq: link.seq,
      record_hash: link.record_hash,
      previous_hash: link.previous_hash,
      hash: link.hash,
    },
  };
  return formatExportRecord(line, 'jsonl');
}

export function formatManifest(manifest: DetachCheckpoint, hashes: AuditHashes): string {
  const line: ManifestLine = { manifest, mac: hashes.hashManifest(JSON.stringify(manifest)) };
  return `${JSON.stringify(line)}\n`;
}

/** Verifies signature, checksum, records and hash chain of an export, and returns its manifest. */
export async function verifyExportFile(
  path: string,
  hashes: AuditHashes,
): Promise<DetachCheckpoint> {
  if (!existsSync(path)) throw new Error(`${path} does not exist.`);
  const summary = createExportSummary();
  let lastLine: string | null = null;
  let lineNumber = 0;
  for await (const line of readLines(path)) {
    if (lastLine !== null) verifyLine(lastLine, lineNumber, { summary, hashes });
    lastLine = line;
    lineNumber++;
  }
  const { manifest, mac } = parseLine<ManifestLine>(lastLine ?? '');
  if (!manifest || !mac) {
    throw new Error(`${path} is incomplete or is no export of steward audit detach.`);
  }
  if (mac !== hashes.hashManifest(JSON.stringify(manifest))) {
    throw new Error(
      `The manifest of ${path} was changed, or another panel wrote it: its signature is not valid.`,
    );
  }
  const found: Record<string, unknown> = summary.finish();
  const expected: Record<string, unknown> = manifest;
  const isEqual = (field: string) =>
    JSON.stringify(found[field]) === JSON.stringify(expected[field]);
  if (Object.keys(found).every(isEqual)) return manifest;
  throw new Error(
    `${path} was changed after it was written: its ${found.records} records do not match the manifest, which lists ${manifest.records}.`,
  );
}

type Summary = ReturnType<typeof createExportSummary>;

function verifyLine(
  text: string,
  lineNumber: number,
  { summary, hashes }: { summary: Summary; hashes: AuditHashes },
): void {
  const { stored, link, actor_name, site, entity_name, ...fields } = parseLine<ExportedLine>(text);
  if (!stored || !link || fields.id === undefined) {
    throw new Error(
      `Line ${lineNumber} of the file is damaged, or the file is no export of steward audit detach.`,
    );
  }
  const changed = (reason: string) =>
    new Error(`Record ${fields.id} of the export was changed: ${reason}.`);
  const last = summary.getLast();
  const whole: Link = { ...link, record_id: fields.id };
  if (link.hash !== hashes.hashLink(whole)) throw changed('its link is not valid');
  if (link.record_hash !== hashes.hashRecord({ ...fields, ...stored } as StoredRecord)) {
    throw changed('its hash does not match');
  }
  if (last && link.seq <= last.seq) throw changed('it is not in the order of the hash chain');
  if (last && link.seq === last.seq + 1 && link.previous_hash !== last.hash) {
    throw changed('it does not continue the hash chain');
  }
  summary.add(`${text}\n`, whole);
}

function parseLine<T extends object>(text: string): Partial<T> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Splits at \n only. `readline` also splits at other line separators, which names can contain. */
async function* readLines(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
