import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export const LICENSE_CHANNEL = 'steward_licenses';

/** Runs in the transaction of the change: PostgreSQL notifies the workers after the commit. */
export async function announceChange(trx: Trx, licenseId: number): Promise<void> {
  await sql`SELECT pg_notify(${LICENSE_CHANNEL}, ${String(licenseId)})`.execute(trx);
}

/** The sites with a site key. Includes sites deactivated within the last hour: revoking a license deactivates its sites. */
export function findSitesToNotify(db: Database, licenseId: number) {
  return tables(db)
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .select([
      's.url',
      's.endpoint_url',
      's.approved_endpoint_url',
      's.web_login_encrypted',
      'a.proven_at',
      'a.proven_endpoint_url',
    ])
    .where('a.license_id', '=', licenseId)
    .where('a.site_key_hash', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('a.status', '=', 'active'),
        eb('a.deactivated_at', '>', sql<Date>`now() - interval '1 hour'`),
      ]),
    )
    .execute();
}
