import { randomBytes } from 'node:crypto';
import {
  ACTIVATIONS_SHOWN_MAX,
  generateLicenseKey,
  type LicenseDetails,
  type LicenseSummary,
  type LimitPreview,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { LicenseChangeLimit } from '../access-tokens/index.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { ServiceCatalogue } from '../services/index.ts';
import { keyKindOfSite } from '../sites/index.ts';
import {
  type ActivationRecord,
  countActivations,
  countSitesWithOldKey,
  deactivateSites,
  listNewestActivations,
} from './activations.repository.ts';
import { licenseNotFoundError, licenseRevokedError } from './license-assertions.ts';
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
/** Only a license with a new key contains the key in plain text. */
export type NewLicense = LicenseSummary & { license_key: string };

/** Undefined: unchanged. Null or only spaces: no name, no customer. */
export type LicenseLabels = {
  name?: string | null | undefined;
  customer?: string | null | undefined;
};

export type LicenseInput = LicenseLabels & {
  planName: string;
  /** Undefined: the limit of the plan. Null: unlimited. */
  siteLimit?: number | null | undefined;
  /** Undefined: the services of the plan. */
  services?: string[] | undefined;
  expiresAt: Date | null;
  count: number;
};

/** Agencies need no other license for their own sites. */
const FIRST_LICENSE: LicenseInput = {
  ...{ name: 'Default', planName: 'Default', siteLimit: null },
  ...{ expiresAt: null, count: 1 },
};

/** Every change writes an audit record. */
export type LicenseService = {
  create(input: LicenseInput, origin: AuditOrigin): Promise<NewLicense[]>;
  /** Creates a license for the first sites of a new panel, unless a license exists. Its key is not returned. */
  createFirst(trx: Trx, origin: AuditOrigin): Promise<void>;
  list(): Promise<LicenseSummary[]>;
  hasAny(): Promise<boolean>;
  show(id: number): Promise<LicenseDetails>;
  /** Accepts the key in upper or lower case, with or without dashes and spaces. */
  findByKey(licenseKey: string): Promise<LicenseSummary>;
  /** Changes the name and the customer, also of a revoked license. */
  rename(id: number, labels: LicenseLabels, origin: AuditOrigin): Promise<LicenseSummary>;
  suspend(id: number, origin: AuditOrigin): Promise<LicenseSummary>;
  resume(id: number, origin: AuditOrigin): Promise<LicenseSummary>;
  revoke(id: number, origin: AuditOrigin): Promise<LicenseSummary>;
  extend(id: number, expiresAt: Date | null, origin: AuditOrigin): Promise<LicenseSummary>;
  setLimit(id: number, siteLimit: number | null, origin: AuditOrigin): Promise<LicenseSummary>;
  /** Describes the effect of a site limit; undefined means the current limit. */
  previewLimit(id: number, siteLimit: number | null | undefined): Promise<LimitPreview>;
};

type Dependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
  services: ServiceCatalogue;
  plans: PlanService;
  licenseChanges: LicenseChangeLimit;
};

export function createLicenseService(deps: Dependencies): LicenseService {
  const { db, secrets, clock, audit, services, plans, licenseChanges } = deps;

  async function createWithin(
    trx: Trx,
    input: LicenseInput,
    origin: AuditOrigin,
  ): Promise<NewLicense[]> {
    await licenseChanges.count(trx, origin);
    const plan = await plans.findOrCreate(trx, input, origin);
    const siteLimit = input.siteLimit === undefined ? plan.site_limit : input.siteLimit;
    const created: NewLicense[] = [];
    for (let index = 0; index < input.count; index++) {
      const key = generateLicenseKey(randomBytes);
      const id = await insertLicense(trx, {
        ...normalizeLabels({ name: input.name ?? null, customer: input.customer ?? null }),
        plan_id: plan.id,
        key_hash: Buffer.from(secrets.fingerprint(key), 'hex'),
        key_encrypted: secrets.encrypt(key, 'license_key'),
        key_last_six: key.slice(-6),
        services: input.services ?? null,
        site_limit: siteLimit,
        status: 'active',
        expires_at: input.expiresAt,
        created_at: clock.now(),
      });
      await audit.record(trx, origin, {
        action: 'create',
        entityType: 'license',
        entityId: id,
        context: {
          plan: plan.slug,
          site_limit: siteLimit,
          expires_at: input.expiresAt,
          ...omitNull(normalizeLabels(input)),
        },
      });
      const summary = toLicenseSummary(await findLicenseOrThrow(trx, id), clock.now());
      created.push({ ...summary, license_key: key });
    }
    return created;
  }

  return {
    async create(input, origin) {
      await services.assertKnown(input.services ?? []);
      return db.transaction().execute((trx) => createWithin(trx, input, origin));
    },

    async createFirst(trx, origin) {
      if (!(await hasLicenses(trx))) await createWithin(trx, FIRST_LICENSE, origin);
    },

    async list() {
      const now = clock.now();
      return (await listLicenses(db)).map((license) => toLicenseSummary(license, now));
    },

    hasAny: () => hasLicenses(db),

    async show(id) {
      const license = await findLicenseOrThrow(db, id);
      const newest = await listNewestActivations(db, id, ACTIVATIONS_SHOWN_MAX);
      return {
        ...toLicenseSummary(license, clock.now()),
        uncounted_sites: license.uncounted_sites,
        rotation: toRotation(license, await countSitesWithOldKey(db, id), clock.now()),
        activations_total: await countActivations(db, id),
        activations: newest.map(toActivationDetails),
      };
    },

    async findByKey(licenseKey) {
      const { hash: keyHash } = parseKey(licenseKey, secrets);
      const license = await findLicense(db, { keyHash, now: clock.now() });
      if (!license) throw new AppError('invalid_license_key');
      return toLicenseSummary(license, clock.now());
    },

    async previewLimit(id, siteLimit) {
      const license = await findLicenseOrThrow(db, id);
      return previewLimit(license, siteLimit === undefined ? license.site_limit : siteLimit);
    },

    rename: (id, labels, origin) =>
      changeLicense(
        id,
        origin,
        async (trx, license) => {
          const { name, customer } = license;
          const after = { name, customer, ...normalizeLabels(labels) };
          if (after.name === name && after.customer === customer) return null;
          await updateLicense(trx, id, after);
          return { action: 'rename', context: { before: { name, customer }, after } };
        },
        { evenIfRevoked: true, changesAccess: false },
      ),

    suspend: (id, origin) =>
      changeLicense(id, origin, async (trx, license) => {
        if (license.status === 'suspended') return null;
        await updateLicense(trx, id, { status: 'suspended' });
        await announceChange(trx, id);
        return { action: 'suspend' };
      }),

    resume: (id, origin) =>
      changeLicense(id, origin, async (trx, license) => {
        if (license.status === 'active') return null;
        await updateLicense(trx, id, { status: 'active' });
        await announceChange(trx, id);
        return { action: 'resume' };
      }),

    revoke: (id, origin) =>
      changeLicense(id, origin, async (trx) => {
        await updateLicense(trx, id, { status: 'revoked' });
        await announceChange(trx, id);
        const siteIds = await deactivateSites(trx, id, clock.now());
        const deactivations = siteIds.map(
          (siteId): AuditEntry => ({
            action: 'deactivate',
            entityType: 'activation',
            entityId: siteId,
            siteId,
            context: { license_id: id, reason: 'license_revoked' },
          }),
        );
        await audit.record(trx, origin, deactivations);
        return { action: 'revoke', context: { sites_closed: siteIds.length } };
      }),

    extend: (id, expiresAt, origin) =>
      changeLicense(id, origin, async (trx, license) => {
        if (license.expires_at?.getTime() === expiresAt?.getTime()) return null;
        await updateLicense(trx, id, { expires_at: expiresAt });
        const isExpired = (time: Date | null) => time !== null && time <= clock.now();
        if (isExpired(license.expires_at) !== isExpired(expiresAt)) await announceChange(trx, id);
        return { action: 'extend', context: { from: license.expires_at, to: expiresAt } };
      }),

    setLimit: (id, siteLimit, origin) =>
      changeLicense(id, origin, async (trx, license) => {
        if (license.site_limit === siteLimit) return null;
        await updateLicense(trx, id, { site_limit: siteLimit });
        return { action: 'set_limit', context: { from: license.site_limit, to: siteLimit } };
      }),
  };

  /** Locks the license and records the change. `apply` returns its audit entry, or null if nothing changed. */
  function changeLicense(
    id: number,
    origin: AuditOrigin,
    apply: (
      trx: Trx,
      license: LicenseRecord,
    ) => Promise<Pick<AuditEntry<'license'>, 'action' | 'context'> | null>,
    { evenIfRevoked = false, changesAccess = true } = {},
  ): Promise<LicenseSummary> {
    return db.transaction().execute(async (trx) => {
      const license = await lockLicense(trx, { id });
      if (!license) throw licenseNotFoundError(id);
      if (license.status === 'revoked' && !evenIfRevoked) throw licenseRevokedError(id);
      const entry = await apply(trx, license);
      if (entry && changesAccess) await licenseChanges.count(trx, origin);
      if (entry) await audit.record(trx, origin, { ...entry, entityType: 'license', entityId: id });
      return toLicenseSummary(await findLicenseOrThrow(trx, id), clock.now());
    });
  }
}

async function findLicenseOrThrow(db: Database, id: number): Promise<LicenseRecord> {
  const license = await findLicense(db, { id });
  if (!license) throw licenseNotFoundError(id);
  return license;
}

/** Returns only the given fields. An empty text becomes null. */
function normalizeLabels(labels: LicenseLabels): {
  name?: string | null;
  customer?: string | null;
} {
  const { name, customer } = labels;
  const normalize = (text: string | null) => text?.trim() || null;
  return {
    ...(name !== undefined && { name: normalize(name) }),
    ...(customer !== undefined && { customer: normalize(customer) }),
  };
}

const omitNull = (labels: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(labels).filter(([, text]) => text !== null));

function toActivationDetails(activation: ActivationRecord & { site_name: string }) {
  const { cms_version, php_version, plugin_version, key_ends_at } = activation;
  return {
    ...toActivation(activation),
    site_name: activation.site_name,
    key: keyKindOfSite({ has_site_key: activation.site_key_hash !== null, key_ends_at }),
    cms_version,
    php_version,
    plugin_version,
  };
}
