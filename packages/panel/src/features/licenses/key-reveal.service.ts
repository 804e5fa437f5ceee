import type { Database } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Secrets } from '../../lib/secrets.ts';
import type { PasswordService } from '../accounts/passwords.service.ts';
import type { SignedIn } from '../accounts/sessions.service.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import { findSealedKey } from './licenses.repository.ts';

/**
 * Showing a license key again. It asks for the password once more: a browser that was left open must
 * not give away every key. The key leaves only when the record that it did is committed.
 */
export type KeyRevealService = {
  reveal(who: SignedIn, licenseId: number, password: string, origin: Origin): Promise<string>;
};

type Dependencies = {
  db: Database;
  secrets: Secrets;
  audit: AuditService;
  passwords: Pick<PasswordService, 'confirm'>;
};

export function createKeyRevealService(deps: Dependencies): KeyRevealService {
  const { db, secrets, audit, passwords } = deps;
  return {
    async reveal(who, licenseId, password, origin) {
      await passwords.confirm(who, password, origin);
      return db.transaction().execute(async (trx) => {
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
      });
    },
  };
}
