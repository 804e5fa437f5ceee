import { randomBytes } from 'node:crypto';
import { generateLicenseKey } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import { endOldKeyNow, scheduleOldKeyEnd } from './activations.repository.ts';
import { isOldKeyValid } from './key-rule.ts';
import { licenseNotFoundError, licenseRevokedError } from './license-assertions.ts';
import { toLicenseSummary } from './license-view.ts';
import {
  findLicense,
  type LicenseRecord,
  lockLicense,
  updateLicense,
} from './licenses.repository.ts';
import type { LicenseSummary, NewLicense } from './licenses.service.ts';

/**
 * Replaces a license key. Sites with a site key are not affected. Other sites can use the old key until it expires;
 * afterwards they need a site key or the new license key. The old key cannot activate further sites.
 */
export type KeyRotationService = {
  rotate(id: number, request: { oldKeyDays: number }, origin: AuditOrigin): Promise<NewLicense>;
  endOldKey(id: number, origin: AuditOrigin): Promise<LicenseSummary>;
};

type Dependencies = { db: Database; secrets: Secrets; clock: Clock; audit: AuditService };

const DAY_MS = 24 * 60 * 60 * 1000;

export function createKeyRotationService(deps: Dependencies): KeyRotationService {
  const { db, secrets, clock, audit } = deps;

  return {
    rotate: (id, { oldKeyDays }, origin) =>
      withLockedLicense(id, async (trx, license, now) => {
        if (isOldKeyValid(license, now)) throw oldKeyAcceptedError(license);
        const endsAt = new Date(now.getTime() + oldKeyDays * DAY_MS);
        const key = generateLicenseKey(randomBytes);
        await updateLicense(trx, id, {
          key_hash: Buffer.from(secrets.fingerprint(key), 'hex'),
          key_encrypted: secrets.encrypt(key, 'license_key'),
          key_last_six: key.slice(-6),
          old_key_hash: license.key_hash,
          old_key_last_six: license.key_last_six,
          old_key_ends_at: endsAt,
        });
        const sites = await scheduleOldKeyEnd(trx, id, endsAt);
        const context = { old_key_ends_at: endsAt, sites_with_old_key: sites };
        await audit.record(trx, origin, { ...entityOf(id), action: 'rotate_key', context });
        return { ...(await readSummary(trx, id, now)), license_key: key };
      }),

    endOldKey: (id, origin) =>
      withLockedLicense(id, async (trx, license, now) => {
        if (isOldKeyValid(license, now)) {
          await updateLicense(trx, id, { old_key_ends_at: now });
          const context = { sites_with_old_key: await endOldKeyNow(trx, id, now) };
          await audit.record(trx, origin, { ...entityOf(id), action: 'end_old_key', context });
        }
        return readSummary(trx, id, now);
      }),
  };

  function withLockedLicense<T>(
    id: number,
    change: (trx: Trx, license: LicenseRecord, now: Date) => Promise<T>,
  ): Promise<T> {
    return db.transaction().execute(async (trx) => {
      const license = await lockLicense(trx, { id });
      if (!license) throw licenseNotFoundError(id);
      if (license.status === 'revoked') throw licenseRevokedError(id);
      return change(trx, license, clock.now());
    });
  }
}

const entityOf = (id: number) => ({ entityType: 'license' as const, entityId: id });

async function readSummary(trx: Trx, id: number, now: Date): Promise<LicenseSummary> {
  const license = await findLicense(trx, { id });
  if (!license) throw licenseNotFoundError(id);
  return toLicenseSummary(license, now);
}

function oldKeyAcceptedError({ id, old_key_last_six, old_key_ends_at }: LicenseRecord): AppError {
  return new AppError('old_key_accepted', {
    message: `The old key (…${old_key_last_six}) is accepted until ${old_key_ends_at?.toISOString()}. Wait until then, or expire it now: steward license end-old-key ${id}`,
  });
}
