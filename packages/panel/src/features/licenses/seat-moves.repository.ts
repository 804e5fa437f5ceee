import { sql } from 'kysely';
import type { Trx } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import { tables } from './database.ts';

type SeatKind = { licenseId: number; counted: boolean };

/** Returns the time of the n-th newest move; null if there are fewer. */
export async function findNthNewestMove(
  trx: Trx,
  { licenseId, counted }: SeatKind,
  n: number,
): Promise<Date | null> {
  const query = tables(trx)
    .selectFrom('seat_moves')
    .select('at')
    .where('license_id', '=', licenseId)
    .where('counted', '=', counted)
    .orderBy('at', 'desc')
    .offset(n - 1)
    .limit(1);
  const [move] = await executePrepared(trx, query);
  return move?.at ?? null;
}

/** Deletes the moves up to `forgetUntil`, so the number of rows stays within the limit of moves. */
export async function insertMove(
  trx: Trx,
  { licenseId, counted }: SeatKind,
  { at, forgetUntil }: { at: Date; forgetUntil: Date },
): Promise<void> {
  const statement = sql`
    WITH forgotten AS (
      DELETE FROM seat_moves
      WHERE license_id = ${licenseId} AND counted = ${counted} AND at <= ${forgetUntil}
    )
    INSERT INTO seat_moves (license_id, counted, at) VALUES (${licenseId}, ${counted}, ${at})`;
  await executePrepared(trx, statement.compile(trx));
}
