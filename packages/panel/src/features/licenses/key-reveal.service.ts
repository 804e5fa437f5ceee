import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import { findEncryptedKey } from './licenses.repository.ts';

export type KeyRevealService = {
  /** Records the reveal in the audit log. Returns the key only after that record is committed. */
  reveal(licenseId: number, origin: AuditOrigin): Promise<string>;
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
        const encrypted = await findEncryptedKey(trx, licenseId);
        if (!encrypted) {
          throw new AppError('not_found', { message: `License ${licenseId} does not exist.` });
        }
        await audit.record(trx, origin, {
          action: 'reveal_key',
          entityType: 'license',
          entityId: licenseId,
        });
        return secrets.decrypt(encrypted, 'license_key');
      }),
  };
}
