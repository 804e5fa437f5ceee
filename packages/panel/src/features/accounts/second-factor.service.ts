import type { SecondFactors, SignInMethod, TotpSetup } from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import { generateBackupCodes, isTotpCode, typedCode } from './backup-codes.ts';
import { noSuchUser } from './identity.ts';
import { deletePasskeysOf, listPasskeys } from './passkeys.repository.ts';
import { summaryOf } from './passkeys.service.ts';
import type { PasswordThrottle } from './password-throttle.ts';
import {
  countSecondFactors,
  deleteTotp,
  insertTotp,
  lockTotp,
  replaceBackupCodes,
  takeBackupCode,
  updateTotp,
} from './second-factor.repository.ts';
import { assertSecondFactorLeft } from './second-factor-rule.ts';
import { deleteSessionsOf } from './sessions.repository.ts';
import { isSecondFactorRequired } from './settings.repository.ts';
import { describeTotp, generateTotpSecret, matchTotp } from './totp.ts';
import { lockUser } from './users.repository.ts';

/** How a code was right. */
export type CodeKind = 'totp' | 'backup_code';

/** Authenticator apps and backup codes. Each change has its audit record, without code or secret. */
export type SecondFactorService = {
  view(userId: number): Promise<SecondFactors>;
  /** A secret that counts once a code of it was given. */
  beginTotp(signedIn: SignedIn, origin: Origin): Promise<TotpSetup>;
  /** Gives the backup codes, this once. */
  activateTotp(signedIn: SignedIn, code: string, origin: Origin): Promise<string[]>;
  removeTotp(signedIn: SignedIn, origin: Origin): Promise<void>;
  /** New ones; those from before stop working. */
  makeBackupCodes(signedIn: SignedIn, origin: Origin): Promise<string[]>;
  /** For who has lost theirs: removes all of it and ends the sessions. By whoever runs the panel. */
  reset(userId: number, origin: Origin): Promise<void>;
  /** What a sign-in with the password has to be completed with. None: the password is enough. */
  methodsOf(trx: Trx, userId: number): Promise<SignInMethod[]>;
  /** Uses the code up. Null: it is not right. */
  redeemCode(trx: Trx, userId: number, code: string): Promise<CodeKind | null>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt' | 'fingerprint'>;
  audit: AuditService;
  throttle: Pick<PasswordThrottle, 'code' | 'succeed'>;
};

export function createSecondFactorService(deps: Dependencies): SecondFactorService {
  const { db, clock, secrets, audit, throttle } = deps;
  // Keyed with the panel's secret: 49 bits could be found from a plain hash.
  const hashOf = (userId: number, code: string) =>
    Buffer.from(secrets.fingerprint(`backup-code/${userId}/${typedCode(code)}`), 'hex');

  async function storeBackupCodes(trx: Trx, userId: number): Promise<string[]> {
    const codes = generateBackupCodes();
    await replaceBackupCodes(
      trx,
      userId,
      codes.map((code) => hashOf(userId, code)),
    );
    return codes;
  }

  return {
    async view(userId) {
      const { totp, backup_codes } = await countSecondFactors(db, userId);
      const passkeys = (await listPasskeys(db, userId)).map(summaryOf);
      return { totp, backup_codes, passkeys, required: await isSecondFactorRequired(db) };
    },

    beginTotp: ({ user }, origin) =>
      db.transaction().execute(async (trx) => {
        await lockUser(trx, user.id);
        const secret = generateTotpSecret();
        const sealed = secrets.encrypt(secret, 'totp_secret');
        if (!(await insertTotp(trx, user.id, sealed, clock.now()))) {
          throw new AppError('second_factor_exists');
        }
        await audit.record(trx, origin, recordOf(user.id, 'begin_totp'));
        return describeTotp(secret, user.email);
      }),

    async activateTotp({ user }, code, origin) {
      const codes = await db.transaction().execute(async (trx) => {
        const totp = await lockTotp(trx, user.id);
        if (!totp || totp.confirmed_at !== null) {
          throw new AppError('invalid_request', {
            message: 'No authenticator app is being set up. Start again.',
          });
        }
        const period = await periodOf(totp, code);
        if (period === null) return null;
        const confirmed_at = clock.now();
        await updateTotp(trx, user.id, { last_period: period, confirmed_at });
        await audit.record(trx, origin, recordOf(user.id, 'add_totp'));
        return storeBackupCodes(trx, user.id);
      });
      if (codes) return codes;
      throw new AppError('wrong_code');
    },

    removeTotp: ({ user }, origin) =>
      db.transaction().execute(async (trx) => {
        await lockUser(trx, user.id);
        if (!(await deleteTotp(trx, user.id))) throw new AppError('no_second_factor');
        await assertSecondFactorLeft(trx, user.id);
        const { passkeys } = await countSecondFactors(trx, user.id);
        if (passkeys === 0) await replaceBackupCodes(trx, user.id, []);
        await audit.record(trx, origin, recordOf(user.id, 'remove_totp'));
      }),

    makeBackupCodes: ({ user }, origin) =>
      db.transaction().execute(async (trx) => {
        if (!(await lockUser(trx, user.id))) throw noSuchUser(user.id);
        const { totp, passkeys } = await countSecondFactors(trx, user.id);
        if (!totp && passkeys === 0) throw new AppError('no_second_factor');
        await audit.record(trx, origin, recordOf(user.id, 'make_backup_codes'));
        return storeBackupCodes(trx, user.id);
      }),

    reset: (userId, origin) =>
      db.transaction().execute(async (trx) => {
        if (!(await lockUser(trx, userId))) throw noSuchUser(userId);
        const { backup_codes } = await countSecondFactors(trx, userId);
        const context = {
          totp: await deleteTotp(trx, userId),
          passkeys: await deletePasskeysOf(trx, userId),
          backup_codes,
          sessions_ended: await deleteSessionsOf(trx, userId),
        };
        await replaceBackupCodes(trx, userId, []);
        await throttle.succeed(trx, [throttle.code(userId)]);
        await audit.record(trx, origin, {
          ...recordOf(userId, 'reset_second_factor'),
          context,
        });
      }),

    async methodsOf(trx, userId) {
      const { totp, backup_codes, passkeys } = await countSecondFactors(trx, userId);
      if (!totp && passkeys === 0) return [];
      return [
        ...(totp ? (['totp'] as const) : []),
        ...(backup_codes > 0 ? (['backup_code'] as const) : []),
        ...(passkeys > 0 ? (['passkey'] as const) : []),
      ];
    },

    async redeemCode(trx, userId, code) {
      const typed = typedCode(code);
      if (!isTotpCode(typed)) {
        return (await takeBackupCode(trx, userId, hashOf(userId, typed))) ? 'backup_code' : null;
      }
      const totp = await lockTotp(trx, userId);
      if (!totp || totp.confirmed_at === null) return null;
      const period = await periodOf(totp, typed);
      if (period === null) return null;
      await updateTotp(trx, userId, { last_period: period });
      return 'totp';
    },
  };

  function periodOf(
    totp: { secret_encrypted: Buffer; last_period: number | null },
    code: string,
  ): Promise<number | null> {
    const secret = secrets.decrypt(totp.secret_encrypted, 'totp_secret');
    return matchTotp(secret, typedCode(code), { now: clock.now(), lastPeriod: totp.last_period });
  }
}

function recordOf(userId: number, action: string): AuditEntry {
  return { action, entityType: 'user', entityId: userId };
}
