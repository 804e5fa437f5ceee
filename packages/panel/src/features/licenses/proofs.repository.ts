import type { Database, Trx } from '../../platform/database/tables.ts';

export type SiteToProve = {
  site_id: number;
  license_id: number;
  url: string;
  canonical_url: string;
  endpoint_url: string | null;
  endpoint_origin: string | null;
  /** An endpoint on another host that no owner has approved yet. */
  requested_endpoint_url: string | null;
  web_login_encrypted: Buffer | null;
  site_key_encrypted: Buffer | null;
  proven_at: Date | null;
  /** The key of a pending enrolment. The panel tries it first: the site may have lost its former key. */
  pending_key_encrypted: Buffer | null;
  pending_endpoint_url: string | null;
};

export function findSiteToProve(db: Database, siteId: number): Promise<SiteToProve | undefined> {
  return db
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .leftJoin('enrolments as e', 'e.site_id', 's.id')
    .select([
      's.id as site_id',
      's.license_id',
      's.url',
      's.canonical_url',
      's.endpoint_url',
      's.endpoint_origin',
      's.requested_endpoint_url',
      's.web_login_encrypted',
      'a.site_key_encrypted',
      'a.proven_at',
      'e.site_key_encrypted as pending_key_encrypted',
      'e.endpoint_url as pending_endpoint_url',
    ])
    .where('s.id', '=', siteId)
    .where('a.status', '=', 'active')
    .executeTakeFirst();
}

/** Returns false if the address is already proven, or if the site has a different key now. */
export async function markProven(
  trx: Trx,
  { siteId, keyEncrypted, now }: { siteId: number; keyEncrypted: Buffer; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('license_activations')
    .set({ proven_at: now, proof_error: null })
    .where('site_id', '=', siteId)
    .where('status', '=', 'active')
    .where('site_key_encrypted', '=', keyEncrypted)
    .where('proven_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function storeProofError(db: Database, siteId: number, error: string): Promise<void> {
  await db
    .updateTable('license_activations')
    .set({ proof_error: error })
    .where('site_id', '=', siteId)
    .execute();
}
