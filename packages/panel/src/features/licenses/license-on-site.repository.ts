import type { Database } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import { type ActivationRecord, selectActivations } from './activations.repository.ts';
import {
  hasValidKey,
  type LicenseRecord,
  selectLicenses,
  whereLicense,
} from './licenses.repository.ts';
import type { RequestKey } from './parse-request.ts';

export type FoundLicense = { license: LicenseRecord; activation: ActivationRecord | null };

/**
 * Finds the license of a key and its activation on the site, with one statement. A license key also finds a license that
 * is not activated on the site. A site key finds only its own site.
 */
export async function findLicenseOnSite(
  db: Database,
  key: RequestKey,
  canonicalUrl: string,
  now: Date,
): Promise<FoundLicense | undefined> {
  const activations = selectActivations(db)
    .select(['s.license_id', 's.canonical_url'])
    .as('activation');
  const licenses = selectLicenses(db)
    .leftJoin(activations, (join) =>
      join
        .onRef('activation.license_id', '=', 'l.id')
        .on('activation.canonical_url', '=', canonicalUrl),
    )
    .selectAll('activation')
    .select(['l.status as license_status', 'activation.status as activation_status']);
  const ref = { keyHash: key.hash, now };
  const found = key.isSiteKey
    ? licenses.where('activation.site_key_hash', '=', Buffer.from(key.hash, 'hex'))
    : licenses.where(whereLicense(ref));
  const [row] = await executePrepared(db, found);
  if (!row || !(key.isSiteKey || hasValidKey(row, ref))) return undefined;
  const { license_status, activation_status, ...fields } = row;
  return {
    license: { ...fields, status: license_status },
    activation:
      fields.site_id === null
        ? null
        : ({ ...fields, status: activation_status } as ActivationRecord),
  };
}
