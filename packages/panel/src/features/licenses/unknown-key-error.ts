import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/handles.ts';
import { findSiteBySiteKey } from './activations.repository.ts';
import { findSiteOfPendingKey } from './enrolments.repository.ts';
import type { RequestKey } from './parse-request.ts';

/**
 * The error for a key that the panel does not accept. The site key of a pending enrolment gets its own code: it becomes
 * valid with the proof of address, so the site must keep it.
 */
export async function buildUnknownKeyError(
  db: Database,
  { hash, isSiteKey }: Pick<RequestKey, 'hash' | 'isSiteKey'>,
  canonicalUrl?: string,
): Promise<AppError> {
  if (!isSiteKey) return new AppError('invalid_license_key');
  // The proof may have ended since the caller looked for the key. A site that gets `invalid_license_key` would return to
  // its previous key, which is no longer valid. With `address_not_proven` it sends the new key again.
  const siteId =
    (await findSiteOfPendingKey(db, hash)) ??
    (await findSiteBySiteKey(db, hash, canonicalUrl))?.site_id;
  if (siteId === undefined) return new AppError('invalid_license_key');
  return new AppError('address_not_proven', { details: { site_id: siteId } });
}
