import type { ConfirmRequest } from '@steward/contract';
import type { Database } from '../../database/tables.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import type { PasswordService } from './passwords.service.ts';
import { markConfirmed } from './sessions.repository.ts';
import type { SignedIn } from './sessions.service.ts';

/**
 * Step-up: what gives lasting power (keys, links, roles) needs more than a session, which may be
 * stolen or left open. The proof holds for the session it was given in.
 */
export type ConfirmationService = {
  confirm(signedIn: SignedIn, proof: ConfirmRequest, origin: Origin): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  passwords: Pick<PasswordService, 'verifyOwn'>;
};

export function createConfirmationService(deps: Dependencies): ConfirmationService {
  const { db, clock, audit, passwords } = deps;
  return {
    async confirm(signedIn, { password }, origin) {
      await passwords.verifyOwn(signedIn, password, origin);
      await db.transaction().execute(async (trx) => {
        await markConfirmed(trx, signedIn.sessionId, clock.now());
        await audit.record(trx, origin, {
          action: 'confirm',
          entityType: 'session',
          entityId: signedIn.sessionId,
          context: { user_id: signedIn.user.id, by: 'password' },
        });
      });
    },
  };
}
