import type { ConfirmRequest, PasskeyAssertion } from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { PasskeyService } from './passkeys.service.ts';
import type { PasswordThrottle } from './password-throttle.ts';
import type { PasswordService } from './passwords.service.ts';
import type { SecondFactorService } from './second-factor.service.ts';
import { hasSecondFactor } from './second-factor-rule.ts';
import { markConfirmed } from './sessions.repository.ts';

/**
 * Step-up authentication. Changes with lasting effect (keys, links, roles) need more than a session,
 * which may be stolen or left open. A confirmation is valid for one session only.
 */
export type ConfirmationService = {
  confirm(signedIn: SignedIn, proof: ConfirmRequest, origin: AuditOrigin): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  throttle: PasswordThrottle;
  passwords: Pick<PasswordService, 'verifyOwn'>;
  secondFactors: Pick<SecondFactorService, 'redeemCode'>;
  passkeys: Pick<PasskeyService, 'verify'>;
};

export function createConfirmationService(deps: Dependencies): ConfirmationService {
  const { db, clock, audit, throttle, passwords, secondFactors, passkeys } = deps;

  return {
    async confirm(signedIn, proof, origin) {
      const { password, code, passkey } = proof;
      if ([password, code, passkey].filter((each) => each !== undefined).length !== 1) {
        throw new AppError('invalid_request', {
          message: 'Send exactly one of password, code or passkey.',
        });
      }
      if (passkey !== undefined) return confirmByPasskey(signedIn, passkey, origin);
      if (code !== undefined) return confirmByCode(signedIn, code, origin);
      // The password alone is not enough to sign this user in, so it must not be enough to remove the second factor.
      if (await hasSecondFactor(db, signedIn.user.id)) {
        throw new AppError('second_factor_needed');
      }
      await passwords.verifyOwn(signedIn, password ?? '', origin);
      await db.transaction().execute((trx) => markSession(trx, signedIn, 'password', origin));
    },
  };

  async function confirmByCode(
    signedIn: SignedIn,
    code: string,
    origin: AuditOrigin,
  ): Promise<void> {
    const userId = signedIn.user.id;
    const counters = [throttle.getCodeCounter(userId)];
    await throttle.registerAttempt(counters, origin);
    const isCorrect = await db.transaction().execute(async (trx) => {
      const codeKind = await secondFactors.redeemCode(trx, userId, code);
      if (codeKind === null) {
        const refusal = { action: 'refuse_code', entityType: 'user', entityId: userId } as const;
        await audit.record(trx, origin, refusal);
        return false;
      }
      await throttle.recordSuccess(trx, counters);
      await markSession(trx, signedIn, codeKind, origin);
      return true;
    });
    if (!isCorrect) throw new AppError('wrong_code');
  }

  async function confirmByPasskey(
    signedIn: SignedIn,
    assertion: PasskeyAssertion,
    origin: AuditOrigin,
  ): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const userId = await passkeys.verify(trx, assertion, signedIn);
      if (userId === null) throw new AppError('passkey_rejected');
      await markSession(trx, signedIn, 'passkey', origin);
    });
  }

  async function markSession(
    trx: Trx,
    signedIn: SignedIn,
    by: string,
    origin: AuditOrigin,
  ): Promise<void> {
    await markConfirmed(trx, signedIn.sessionId, clock.now());
    await audit.record(trx, origin, {
      action: 'confirm',
      entityType: 'session',
      entityId: signedIn.sessionId,
      context: { user_id: signedIn.user.id, by },
    });
  }
}
