import type { Database, Trx } from '../../platform/database/handles.ts';
import type { EndpointRecord } from '../sites/index.ts';
import { tables } from './database.ts';

export type SiteToProve = Omit<EndpointRecord, 'has_site_key'> & {
  site_id: number;
  license_id: number;
  canonical_url: string;
  /** An endpoint that no owner has approved yet. */
  requested_endpoint_url: string | null;
  web_login_encrypted: Buffer | null;
  site_key_encrypted: Buffer | null;
  /** The key of a pending enrolment. The panel tries it first: the site may have lost its former key. */
  pending_key_encrypted: Buffer | null;
  pending_endpoint_url: string | null;
};

export function findSiteToProve(
  db: Database | Trx,
  siteId: number,
): Promise<SiteToProve | undefined> {
  return tables(db)
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .leftJoin('enrolments as e', 'e.site_id', 's.id')
    .select([
      's.id as site_id',
      's.license_id',
      's.url',
      's.canonical_url',
      's.endpoint_url',
      's.approved_endpoint_url',
      's.requested_endpoint_url',
      's.web_login_encrypted',
      'a.site_key_encrypted',
      'a.proven_at',
      'a.proven_endpoint_url',
      'e.site_key_encrypted as pending_key_encrypted',
      'e.endpoint_url as pending_endpoint_url',
    ])
    .where('s.id', '=', siteId)
    .where('a.status', '=', 'active')
    .executeTakeFirst();
}

/** Returns false if the endpoint is already proven, or if the site has a different key now. */
export async function markProven(
  trx: Trx,
  proof: { siteId: number; endpointUrl: string; keyEncrypted: Buffer; now: Date },
): Promise<boolean> {
  const { siteId, endpointUrl, keyEncrypted, now } = proof;
  const { numUpdatedRows } = await tables(trx)
    .updateTable('license_activations')
    .set({ proven_at: now, proven_endpoint_url: endpointUrl, proof_error: null })
    .where('site_id', '=', siteId)
    .where('status', '=', 'active')
    .where('site_key_encrypted', '=', keyEncrypted)
    .where(({ eb, or }) =>
      or([eb('proven_at', 'is', null), eb('proven_endpoint_url', 'is distinct from', endpointUrl)]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function storeProofError(db: Database, siteId: number, error: string): Promise<void> {
  await tables(db)
    .updateTable('license_activations')
    .set({ proof_error: error })
    .where('site_id', '=', siteId)
    .execute();
}
