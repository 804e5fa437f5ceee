import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditHashes, Link } from './audit-hashes.ts';
import { tables } from './database.ts';

/** Describes the records that one command detached. The export and the table `audit_checkpoints` contain it, signed. */
export type DetachCheckpoint = {
  /** All partitions that ended before this month (`2026-05`) were detached. */
  before: string;
  partitions: string[];
  records: number;
  /**
   * The positions of the records in the hash chain. Mostly one range. Around the end of a month, a record can be sealed
   * after records of the next month.
   */
  positions: PositionRange[];
  first_record_id: number;
  last_record_id: number;
  /** The hash before the first position, and the hash at the last one. */
  previous_hash: string;
  hash: string;
  /** SHA-256 of the lines of the export. */
  sha256: string;
  exported_at: string;
};

export type PositionRange = [first: number, last: number];

export type DetachedRecords = {
  /** Number of detached records. */
  records: number;
  newest: DetachCheckpoint | null;
  checkpoints: DetachCheckpoint[];
  /** Id of the first checkpoint without a valid signature. */
  invalidCheckpoint: number | null;
  /** Whether the record at this position of the chain was detached. */
  includes(position: number): boolean;
  /** False: a checkpoint has another hash for the position of this link. */
  isExpected(link: Pick<Link, 'seq' | 'hash'>): boolean;
};

/** Reads the checkpoints. A removed checkpoint shows as removed records. */
export async function readDetachedRecords(
  db: Database,
  hashes: Pick<AuditHashes, 'hashCheckpoint'>,
): Promise<DetachedRecords> {
  const rows = await tables(db).selectFrom('audit_checkpoints').selectAll().orderBy('id').execute();
  const invalid = rows.find(({ content, mac }) => mac !== hashes.hashCheckpoint(content));
  const checkpoints: DetachCheckpoint[] = invalid
    ? []
    : rows.map(({ content }) => JSON.parse(content));
  const ranges = checkpoints.flatMap(({ positions }) => positions).toSorted(([a], [b]) => a - b);
  const expected = new Map(
    checkpoints.map(({ positions, hash }) => [positions.at(-1)?.[1] ?? 0, hash]),
  );
  return {
    records: checkpoints.reduce((sum, { records }) => sum + records, 0),
    newest: checkpoints.toSorted((a, b) => a.before.localeCompare(b.before)).at(-1) ?? null,
    checkpoints,
    invalidCheckpoint: invalid?.id ?? null,
    includes: (position) => isInRanges(ranges, position),
    isExpected: ({ seq, hash }) => (expected.get(seq) ?? hash) === hash,
  };
}

/** For the screens only: does not check the signatures, which verification does. */
export async function findCompleteFrom(db: Database): Promise<string | null> {
  const { rows } = await sql<{ before: string | null }>`
    SELECT max(substring(content FROM '"before":"([0-9]{4}-[0-9]{2})"')) AS before
    FROM audit_checkpoints`.execute(db);
  const before = rows[0]?.before;
  return before ? `${before}-01T00:00:00.000Z` : null;
}

export async function insertCheckpoint(
  trx: Trx,
  checkpoint: DetachCheckpoint,
  hashes: AuditHashes,
): Promise<void> {
  const content = JSON.stringify(checkpoint);
  await tables(trx)
    .insertInto('audit_checkpoints')
    .values({ content, mac: hashes.hashCheckpoint(content) })
    .execute();
}

/** Adds a position that is higher than all positions in the ranges. */
export function addPosition(ranges: PositionRange[], position: number): void {
  const last = ranges.at(-1);
  if (last && position === last[1] + 1) last[1] = position;
  else ranges.push([position, position]);
}

/** Binary search: clocks that differ can cause thousands of ranges. */
function isInRanges(ranges: PositionRange[], position: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] as PositionRange;
    if (position < first) high = middle - 1;
    else if (position > last) low = middle + 1;
    else return true;
  }
  return false;
}
