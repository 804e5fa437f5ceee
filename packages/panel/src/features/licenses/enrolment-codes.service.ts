import { randomBytes } from 'node:crypto';
import {
  ENROLMENT_CODES_SHOWN_MAX,
  type EnrolmentCode,
  generateEnrolmentCode,
  type NewEnrolmentCode,
  normalizeEnrolmentCode,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { LicenseChangeLimit } from '../access-tokens/index.ts';
import type { AuditService } from '../audit/index.ts';
import {
  deleteCode,
  deleteUnusedCodes,
  findCode,
  insertCode,
  listNewestCodes,
} from './enrolment-codes.repository.ts';
import { licenseNotFoundError, licenseRevokedError } from './license-assertions.ts';
import { findLicense, lockLicense } from './licenses.repository.ts';

/** One-use codes that connect a site without the license key. */
export type EnrolmentCodeService = {
  /** Returns the codes once: the panel stores only their fingerprints. */
  create(licenseId: number, count: number, origin: AuditOrigin): Promise<NewEnrolmentCode[]>;
  /** Returns the canonical form of a code that can still connect a site; otherwise throws. */
  assertUsable(code: string): Promise<string>;
  /** Returns the newest codes of a license. */
  list(licenseId: number): Promise<EnrolmentCode[]>;
  revoke(id: number, origin: AuditOrigin): Promise<void>;
};

type Dependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
  licenseChanges: LicenseChangeLimit;
  getPanelUrl(): string;
};

const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_MS = DAY_MS;
/** Codes that expired unused longer ago than this are deleted when new codes are created. */
const KEPT_AFTER_EXPIRY_MS = 30 * DAY_MS;

export function createEnrolmentCodeService(deps: Dependencies): EnrolmentCodeService {
  const { db, secrets, clock, audit, licenseChanges, getPanelUrl } = deps;

  return {
    create: (licenseId, count, origin) =>
      db.transaction().execute(async (trx) => {
        const license = await lockLicense(trx, { id: licenseId });
        if (!license) throw licenseNotFoundError(licenseId);
        if (license.status === 'revoked') throw licenseRevokedError(licenseId);
        await licenseChanges.count(trx, origin);
        const now = clock.now();
        await deleteUnusedCodes(trx, new Date(now.getTime() - KEPT_AFTER_EXPIRY_MS));
        const expiresAt = new Date(now.getTime() + LIFETIME_MS);
        const created: NewEnrolmentCode[] = [];
        for (let index = 0; index < count; index++) {
          const code = generateEnrolmentCode(randomBytes);
          const id = await insertCode(trx, {
            license_id: licenseId,
            code_hash: Buffer.from(secrets.fingerprint(code), 'hex'),
            code_last_six: code.slice(-6),
            created_at: now,
            expires_at: expiresAt,
          });
          const plugin_url = `${getPanelUrl()}/api/v1/plugin/${code}/steward.zip`;
          created.push({ id, code, plugin_url, expires_at: expiresAt.toISOString() });
        }
        await audit.record(trx, origin, {
          action: 'create_enrolment_codes',
          entityType: 'license',
          entityId: licenseId,
          context: { enrolment_code_ids: created.map(({ id }) => id), expires_at: expiresAt },
        });
        return created;
      }),

    async assertUsable(text) {
      const code = normalizeEnrolmentCode(text);
      const found = code && (await findCode(db, secrets.fingerprint(code)));
      // A revoked code is deleted. A code of a revoked license gets the same response.
      if (!code || !found || found.license_status === 'revoked')
        throw new AppError('invalid_plugin_link');
      if (found.used_at !== null) throw new AppError('enrolment_code_used');
      if (found.expires_at <= clock.now()) throw new AppError('enrolment_code_expired');
      return code;
    },

    async list(licenseId) {
      if (!(await findLicense(db, { id: licenseId }))) throw licenseNotFoundError(licenseId);
      const [codes, now] = [
        await listNewestCodes(db, licenseId, ENROLMENT_CODES_SHOWN_MAX),
        clock.now(),
      ];
      return codes.map(({ site_id, site_url, ...code }) => ({
        id: code.id,
        code_last_six: code.code_last_six,
        status: code.used_at ? 'used' : code.expires_at <= now ? 'expired' : 'open',
        created_at: code.created_at.toISOString(),
        expires_at: code.expires_at.toISOString(),
        used_at: code.used_at?.toISOString() ?? null,
        site: site_id !== null && site_url !== null ? { id: site_id, url: site_url } : null,
      }));
    },

    revoke: (id, origin) =>
      db.transaction().execute(async (trx) => {
        const code = await deleteCode(trx, id);
        if (!code) {
          throw new AppError('not_found', { message: `Enrolment code ${id} does not exist.` });
        }
        await licenseChanges.count(trx, origin);
        await audit.record(trx, origin, {
          action: 'revoke_enrolment_code',
          entityType: 'license',
          entityId: code.license_id,
          context: {
            enrolment_code_id: id,
            code_last_six: code.code_last_six,
            was_used: code.used_at !== null,
          },
        });
      }),
  };
}
