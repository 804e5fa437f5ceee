import type { Compilable, CompiledQuery } from 'kysely';
import pg from 'pg';
import type { Database } from './handles.ts';

/** The names of prepared statements by their text. */
const names = new Map<string, string>();

/**
 * Runs a statement that each connection prepares once: planning a short statement takes longer than running it. Use
 * this for frequent statements that find their rows by a unique index, because their plan is the same for all values.
 * The text must not depend on the length of a list: PostgreSQL keeps each text until the connection ends.
 */
export async function executePrepared<Row>(
  db: Database,
  query: Compilable<Row> | CompiledQuery<Row>,
): Promise<Row[]> {
  const compiled = 'compile' in query ? query.compile() : query;
  if (!names.has(compiled.sql)) names.set(compiled.sql, `steward_${names.size + 1}`);
  const { rows } = await db.executeQuery<Row>(compiled);
  return rows;
}

/** Kysely passes no names to its connections, so the connection adds them. */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: `query` has a dozen signatures, and all of them pass unchanged.
  override query(query: any, ...rest: any[]): any {
    const name = typeof query === 'string' ? names.get(query) : undefined;
    if (name === undefined) return super.query(query, ...rest);
    const [values, ...others] = rest;
    return super.query({ name, text: query, values }, ...others);
  }
}
