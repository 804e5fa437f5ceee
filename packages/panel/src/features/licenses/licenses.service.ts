import { randomBytes } from 'node:crypto';
import {
  ACTIVATIONS_SHOWN_MAX,
  generateLicenseKey,
  type LicenseDetails,
  type LicenseSummary,
  type LimitPreview,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { ServiceCatalogue } from '../services/index.ts';
import { siteKeyKind } from '../sites/index.ts';
import {
  type ActivationRecord,
  countActivations,
  countSitesWithOldKey,
  deactivateSites,
  listNewestActivations,
} from './activations.repository.ts';
import { licenseNotFound, licenseRevoked } from './license-assertions.ts';
import { announceChange } from './license-changes.repository.ts';
import { toActivation, toLicenseSummary, toRotation } from './license-view.ts';
import {
  findLicense,
  hasLicenses,
  insertLicense,
  type LicenseRecord,
  listLicenses,
  lockLicense,
  updateLicense,
} from './licenses.repository.ts';
import { previewLimit } from './limit-preview.ts';
import { parseKey } from './parse-request.ts';
import type { PlanService } from './plans.service.ts';

export type { LicenseSummary };
/** The key is part of the result only when it is created. */
export type NewLicense = LicenseSummary & { license_key: string };

export type LicenseInput = {
  planName: string;
  /** Undefined: the limit of the plan. Null: unlimited. */
  siteLimit?: number | null | undefined;
  /** Undefined: the services of the plan. */
  services?: string[] | undefined;
  expiresAt: Date | null;
  count: number;
};

/** Every change writes an audit record. */
export type LicenseService = {
  create(order: LicenseInput, origin: Origin): Promise<NewLicense[]>;
  list(): Promise<LicenseSummary[]>;
  hasAny(): Promise<boolean>;
  show(id: number): Promise<LicenseDetails>;
  /** Accepts any spelling of the key. */
  findByKey(licenseKey: string): Promise<LicenseSummary>;
  suspend(id: number, origin: Origin): Promise<LicenseSummary>;
  resume(id: number, origin: Origin): Promise<LicenseSummary>;
  revoke(id: number, origin: Origin): Promise<LicenseSummary>;
  extend(id: number, expiresAt: Date | null, origin: Origin): Promise<LicenseSummary>;
  setLimit(id: number, siteLimit: number | null, origin: Origin): Promise<LicenseSummary>;
  /** The effect of a site limit; undefined for the current limit. */
  previewLimit(id: number, siteLimit: number | null | undefined): Promise<LimitPreview>;
};

type Dependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
  services: ServiceCatalogue;
  plans: PlanService;
};

export function createLicenseService(deps: Dependencies): LicenseService {
  const { db, secrets, clock, audit, services, plans } = deps;

  return {
    async create(order, origin) {
      await services.assertKnown(order.services ?? []);
      return db.transaction().execute(async (trx) => {
        const plan = await plans.findOrCreate(trx, order, origin);
        const siteLimit = order.siteLimit === undefined ? plan.site_limit : order.siteLimit;
        const created: NewLicense[] = [];
        for (let index = 0; index < order.count; index++) {
          const key = generateLicenseKey(randomBytes);
          const id = await insertLicense(trx, {
            plan_id: plan.id,
            key_hash: Buffer.from(secrets.fingerprint(key), 'hex'),
            key_encrypted: secrets.encrypt(key, 'license_key'),
            key_last_six: key.slice(-6),
            services: order.services ?? null,
            site_limit: siteLimit,
            status: 'active',
            expires_at: order.expiresAt,
            created_at: clock.now(),
          });
          await audit.record(trx, origin, {
            action: 'create',
            entityType: 'license',
            entityId: id,
            context: { plan: plan.slug, site_limit: siteLimit, expires_at: order.expiresAt },
          });
          const summary = toLicenseSummary(await mustFind(trx, id), clock.now());
          created.push({ ...summary, license_key: key });
        }
        return created;
      });
    },

    async list() {
      const now = clock.now();
      return (await listLicenses(db)).map((license) => toLicenseSummary(license, now));
    },

    hasAny: () => hasLicenses(db),

    async show(id) {
      const license = await mustFind(db, id);
      const newest = await listNewestActivations(db, id, ACTIVATIONS_SHOWN_MAX);
      return {
        ...toLicenseSummary(license, clock.now()),
        uncounted_sites: license.uncounted_sites,
        rotation: toRotation(license, await countSitesWithOldKey(db, id), clock.now()),
        activations_total: await countActivations(db, id),
        activations: newest.map(describeActivation),
      };
    },

    async findByKey(licenseKey) {
      const { hash: keyHash } = parseKey(licenseKey, secrets);
      const license = await findLicense(db, { keyHash, now: clock.now() });
      if (!license) throw new AppError('invalid_license_key');
      return toLicenseSummary(license, clock.now());
    },

    async previewLimit(id, siteLimit) {
      const license = await mustFind(db, id);
      return previewLimit(license, siteLimit === undefined ? license.site_limit : siteLimit);
    },

    suspend: (id, origin) =>
      change(id, origin, async (trx, license) => {
        if (license.status === 'suspended') return null;
        await updateLicense(trx, id, { status: 'suspended' });
        await announceChange(trx, id);
        return { action: 'suspend' };
      }),

    resume: (id, origin) =>
      change(id, origin, async (trx, license) => {
        if (license.status === 'active') return null;
        await updateLicense(trx, id, { status: 'active' });
        await announceChange(trx, id);
        return { action: 'resume' };
      }),

    revoke: (id, origin) =>
      change(id, origin, async (trx) => {
        await updateLicense(trx, id, { status: 'revoked' });
        await announceChange(trx, id);
        const siteIds = await deactivateSites(trx, id, clock.now());
        const closed = siteIds.map((siteId) => ({
          action: 'deactivate',
          entityType: 'activation',
          entityId: siteId,
          siteId,
          context: { license_id: id, reason: 'license_revoked' },
        }));
        await audit.record(trx, origin, closed);
        return { action: 'revoke', context: { sites_closed: siteIds.length } };
      }),

    extend: (id, expiresAt, origin) =>
      change(id, origin, async (trx, license) => {
        if (license.expires_at?.getTime() === expiresAt?.getTime()) return null;
        await updateLicense(trx, id, { expires_at: expiresAt });
        return { action: 'extend', context: { from: license.expires_at, to: expiresAt } };
      }),

    setLimit: (id, siteLimit, origin) =>
      change(id, origin, async (trx, license) => {
        if (license.site_limit === siteLimit) return null;
        await updateLicense(trx, id, { site_limit: siteLimit });
        return { action: 'set_limit', context: { from: license.site_limit, to: siteLimit } };
      }),
  };

  /** Locks the license, applies the change and records it; `apply` returns null if nothing changed. */
  function change(
    id: number,
    origin: Origin,
    apply: (
      trx: Trx,
      license: LicenseRecord,
    ) => Promise<Pick<AuditEntry, 'action' | 'context'> | null>,
  ): Promise<LicenseSummary> {
    return db.transaction().execute(async (trx) => {
      const license = await lockLicense(trx, { id });
      if (!license) throw licenseNotFound(id);
      if (license.status === 'revoked') {
        throw licenseRevoked(id);
      }
      const entry = await apply(trx, license);
      if (entry) await audit.record(trx, origin, { ...entry, entityType: 'license', entityId: id });
      return toLicenseSummary(await mustFind(trx, id), clock.now());
    });
  }
}

async function mustFind(db: Database, id: number): Promise<LicenseRecord> {
  const license = await findLicense(db, { id });
  if (!license) throw licenseNotFound(id);
  return license;
}

function describeActivation(activation: ActivationRecord) {
  const { cms_version, php_version, plugin_version, key_ends_at } = activation;
  return {
    ...toActivation(activation),
    key: siteKeyKind({ has_site_key: activation.site_key_hash !== null, key_ends_at }),
    cms_version,
    php_version,
    plugin_version,
  };
}
