import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import { findSealedKey } from './licenses.repository.ts';

/**
 * Showing a license key again. The route asks for a confirmation: a browser that was left open must
 * not give away every key. The key leaves only when the record that it did is committed.
 */
export type KeyRevealService = {
  reveal(licenseId: number, origin: Origin): Promise<string>;
};

type Dependencies = {
  db: Database;
  secrets: Secrets;
  audit: AuditService;
};

export function createKeyRevealService(deps: Dependencies): KeyRevealService {
  const { db, secrets, audit } = deps;
  return {
    reveal: (licenseId, origin) =>
      db.transaction().execute(async (trx) => {
        const sealed = await findSealedKey(trx, licenseId);
        if (!sealed) {
          throw new AppError('not_found', { message: `There is no license ${licenseId}.` });
        }
        await audit.record(trx, origin, {
          action: 'reveal_key',
          entityType: 'license',
          entityId: licenseId,
        });
        return secrets.decrypt(sealed, 'license_key');
      }),
  };
}
