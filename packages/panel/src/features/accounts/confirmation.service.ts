import type { ConfirmRequest } from '@steward/contract';
import type { Database, Trx } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import type { PasswordThrottle } from './password-throttle.ts';
import type { PasswordService } from './passwords.service.ts';
import type { SecondFactorService } from './second-factor.service.ts';
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
  throttle: PasswordThrottle;
  passwords: Pick<PasswordService, 'verifyOwn'>;
  secondFactors: Pick<SecondFactorService, 'redeemCode'>;
};

export function createConfirmationService(deps: Dependencies): ConfirmationService {
  const { db, clock, audit, throttle, passwords, secondFactors } = deps;

  return {
    async confirm(signedIn, proof, origin) {
      const { password, code } = proof;
      if ((password === undefined) === (code === undefined)) {
        throw new AppError('invalid_request', { message: 'Send either password or code.' });
      }
      if (code !== undefined) return confirmByCode(signedIn, code, origin);
      await passwords.verifyOwn(signedIn, password ?? '', origin);
      await db.transaction().execute((trx) => mark(trx, signedIn, 'password', origin));
    },
  };

  async function confirmByCode(signedIn: SignedIn, code: string, origin: Origin): Promise<void> {
    const userId = signedIn.user.id;
    const subjects = [throttle.code(userId)];
    await throttle.begin(subjects, origin);
    const isRight = await db.transaction().execute(async (trx) => {
      const by = await secondFactors.redeemCode(trx, userId, code);
      if (by === null) {
        const refusal = { action: 'refuse_code', entityType: 'user', entityId: userId };
        await audit.record(trx, origin, refusal);
        return false;
      }
      await throttle.succeed(trx, subjects);
      await mark(trx, signedIn, by, origin);
      return true;
    });
    if (!isRight) throw new AppError('wrong_code');
  }

  async function mark(trx: Trx, signedIn: SignedIn, by: string, origin: Origin): Promise<void> {
    await markConfirmed(trx, signedIn.sessionId, clock.now());
    await audit.record(trx, origin, {
      action: 'confirm',
      entityType: 'session',
      entityId: signedIn.sessionId,
      context: { user_id: signedIn.user.id, by },
    });
  }
}
