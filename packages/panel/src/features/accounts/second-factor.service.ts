import type { AuditAction, SecondFactorMethod, SecondFactors, TotpSetup } from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import { generateBackupCodes, isTotpCode, normalizeCode } from './backup-codes.ts';
import { deleteUserPasskeys, listPasskeys } from './passkeys.repository.ts';
import { toPasskeySummary } from './passkeys.service.ts';
import type { PasswordThrottle } from './password-throttle.ts';
import {
  consumeBackupCode,
  countSecondFactors,
  deleteTotp,
  insertTotp,
  lockTotp,
  replaceBackupCodes,
  updateTotp,
} from './second-factor.repository.ts';
import { assertSecondFactorLeft } from './second-factor-rule.ts';
import { deleteUserSessions } from './sessions.repository.ts';
import { isSecondFactorRequired } from './settings.repository.ts';
import { buildTotpSetup, generateTotpSecret, matchTotp } from './totp.ts';
import { userNotFound } from './user-fields.ts';
import { lockUser } from './users.repository.ts';

/** The kind of code that was accepted. */
export type CodeKind = 'totp' | 'backup_code';

/** Authenticator apps and backup codes. Each change writes an audit record without the code or secret. */
export type SecondFactorService = {
  view(userId: number): Promise<SecondFactors>;
  /** Creates a secret. It takes effect when activateTotp receives a valid code. */
  beginTotp(signedIn: SignedIn, origin: AuditOrigin): Promise<TotpSetup>;
  /** Returns the backup codes. They are shown only once. */
  activateTotp(signedIn: SignedIn, code: string, origin: AuditOrigin): Promise<string[]>;
  removeTotp(signedIn: SignedIn, origin: AuditOrigin): Promise<void>;
  /** The previous backup codes stop working. */
  makeBackupCodes(signedIn: SignedIn, origin: AuditOrigin): Promise<string[]>;
  /** For the operator: removes all second factors of a user who lost them, and ends the user's sessions. */
  reset(userId: number, origin: AuditOrigin): Promise<void>;
  /** The second factors that can complete a password sign-in. Empty: the password is enough. */
  listMethods(trx: Trx, userId: number): Promise<SecondFactorMethod[]>;
  /** Consumes the code. Null: the code is wrong. */
  redeemCode(trx: Trx, userId: number, code: string): Promise<CodeKind | null>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt' | 'fingerprint'>;
  audit: AuditService;
  throttle: Pick<PasswordThrottle, 'getCodeCounter' | 'recordSuccess'>;
};

export function createSecondFactorService(deps: Dependencies): SecondFactorService {
  const { db, clock, secrets, audit, throttle } = deps;
  // The fingerprint is keyed with the panel's secret, because a plain hash of 49 bits can be brute-forced.
  const hashBackupCode = (userId: number, code: string) =>
    Buffer.from(secrets.fingerprint(`backup-code/${userId}/${normalizeCode(code)}`), 'hex');

  async function storeBackupCodes(trx: Trx, userId: number): Promise<string[]> {
    const codes = generateBackupCodes();
    await replaceBackupCodes(
      trx,
      userId,
      codes.map((code) => hashBackupCode(userId, code)),
    );
    return codes;
  }

  return {
    async view(userId) {
      const { totp, backup_codes } = await countSecondFactors(db, userId);
      const passkeys = (await listPasskeys(db, userId)).map(toPasskeySummary);
      return { totp, backup_codes, passkeys, required: await isSecondFactorRequired(db) };
    },

    beginTotp: ({ user }, origin) =>
      db.transaction().execute(async (trx) => {
        await lockUser(trx, user.id);
        const secret = generateTotpSecret();
        const encrypted = secrets.encrypt(secret, 'totp_secret');
        if (!(await insertTotp(trx, user.id, encrypted, clock.now()))) {
          throw new AppError('second_factor_exists');
        }
        await audit.record(trx, origin, buildAuditEntry(user.id, 'begin_totp'));
        return buildTotpSetup(secret, user.email);
      }),

    async activateTotp({ user }, code, origin) {
      const codes = await db.transaction().execute(async (trx) => {
        const totp = await lockTotp(trx, user.id);
        if (!totp || totp.confirmed_at !== null) {
          throw new AppError('invalid_request', {
            message: 'No setup of an authenticator app is in progress. Start it again.',
          });
        }
        const period = await matchPeriod(totp, code);
        if (period === null) return null;
        const confirmed_at = clock.now();
        await updateTotp(trx, user.id, { last_period: period, confirmed_at });
        await audit.record(trx, origin, buildAuditEntry(user.id, 'add_totp'));
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
        await audit.record(trx, origin, buildAuditEntry(user.id, 'remove_totp'));
      }),

    makeBackupCodes: ({ user }, origin) =>
      db.transaction().execute(async (trx) => {
        if (!(await lockUser(trx, user.id))) throw userNotFound(user.id);
        const { totp, passkeys } = await countSecondFactors(trx, user.id);
        if (!totp && passkeys === 0) throw new AppError('no_second_factor');
        await audit.record(trx, origin, buildAuditEntry(user.id, 'make_backup_codes'));
        return storeBackupCodes(trx, user.id);
      }),

    reset: (userId, origin) =>
      db.transaction().execute(async (trx) => {
        if (!(await lockUser(trx, userId))) throw userNotFound(userId);
        const { backup_codes } = await countSecondFactors(trx, userId);
        const context = {
          totp: await deleteTotp(trx, userId),
          passkeys: await deleteUserPasskeys(trx, userId),
          backup_codes,
          sessions_ended: await deleteUserSessions(trx, userId),
        };
        await replaceBackupCodes(trx, userId, []);
        await throttle.recordSuccess(trx, [throttle.getCodeCounter(userId)]);
        await audit.record(trx, origin, {
          ...buildAuditEntry(userId, 'reset_second_factor'),
          context,
        });
      }),

    async listMethods(trx, userId) {
      const { totp, backup_codes, passkeys } = await countSecondFactors(trx, userId);
      if (!totp && passkeys === 0) return [];
      return [
        ...(totp ? (['totp'] as const) : []),
        ...(backup_codes > 0 ? (['backup_code'] as const) : []),
        ...(passkeys > 0 ? (['passkey'] as const) : []),
      ];
    },

    async redeemCode(trx, userId, code) {
      const normalized = normalizeCode(code);
      if (!isTotpCode(normalized)) {
        return (await consumeBackupCode(trx, userId, hashBackupCode(userId, normalized)))
          ? 'backup_code'
          : null;
      }
      const totp = await lockTotp(trx, userId);
      if (!totp || totp.confirmed_at === null) return null;
      const period = await matchPeriod(totp, normalized);
      if (period === null) return null;
      await updateTotp(trx, userId, { last_period: period });
      return 'totp';
    },
  };

  function matchPeriod(
    totp: { secret_encrypted: Buffer; last_period: number | null },
    code: string,
  ): Promise<number | null> {
    const secret = secrets.decrypt(totp.secret_encrypted, 'totp_secret');
    return matchTotp(secret, normalizeCode(code), {
      now: clock.now(),
      lastPeriod: totp.last_period,
    });
  }
}

function buildAuditEntry(userId: number, action: AuditAction<'user'>): AuditEntry<'user'> {
  return { action, entityType: 'user', entityId: userId };
}
