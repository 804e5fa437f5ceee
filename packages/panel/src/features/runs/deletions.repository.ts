import { sql } from 'kysely';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Trx } from '../../platform/database/handles.ts';

/** The session or the access token whose deletions are counted. */
type Caller = Pick<AuditOrigin, 'session' | 'token'>;

export type Deletion = { at: Date; sites: number };

const keyOf = ({ session, token }: Caller) =>
  token ? { kind: 'token', id: token.id } : { kind: 'session', id: session?.id ?? 0 };

/** Serializes the deletions of one caller until the end of the transaction. */
export async function lockDeletions(trx: Trx, caller: Caller): Promise<void> {
  const { kind, id } = keyOf(caller);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`deletions ${kind} ${id}`}, 0))`.execute(
    trx,
  );
}

/** Lists the runs of this caller that delete a plugin, oldest first. The conditions match the index `runs_of_deletions`. */
export async function listDeletionsSince(
  trx: Trx,
  caller: Caller,
  since: Date,
): Promise<Deletion[]> {
  const { kind, id } = keyOf(caller);
  const { rows } = await sql<Deletion>`
    SELECT created_at AS at, total AS sites FROM runs
    WHERE kind = 'plugin_action' AND request ->> 'action' = 'delete' AND created_at > ${since}
      AND origin -> ${kind}::text ->> 'id' = ${String(id)}
    ORDER BY created_at, id`.execute(trx);
  return rows;
}
