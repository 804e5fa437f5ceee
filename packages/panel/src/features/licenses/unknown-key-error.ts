import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/tables.ts';
import { findSiteOfPendingKey } from './enrolments.repository.ts';
import type { RequestKey } from './parse-request.ts';

/**
 * The error for a key that the panel does not accept. The site key of a pending enrolment gets its own code: it becomes
 * valid with the proof of address, so the site must keep it.
 */
export async function buildUnknownKeyError(
  db: Database,
  { hash, isSiteKey }: Pick<RequestKey, 'hash' | 'isSiteKey'>,
): Promise<AppError> {
  const siteId = isSiteKey ? await findSiteOfPendingKey(db, hash) : null;
  if (siteId === null) return new AppError('invalid_license_key');
  return new AppError('address_not_proven', { details: { site_id: siteId } });
}
