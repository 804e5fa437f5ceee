import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { textToProve } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { failed, type SiteClient, type SiteOutcome } from '../../site-client/index.ts';
import type { AuditService } from '../audit/index.ts';
import type { CallLogService, SiteService } from '../sites/index.ts';
import { updateActivation } from './activations.repository.ts';
import { deleteEnrolment, isPending, lockEnrolment } from './enrolments.repository.ts';
import { siteOf } from './identify.ts';
import { lockLicense } from './licenses.repository.ts';
import {
  findSiteToProve,
  markProven,
  type SiteToProve,
  storeProofError,
} from './proofs.repository.ts';

/**
 * Proof of the address: the panel calls the site where it says it is, and the site answers with what
 * only its key can make. So a key is never sent to a host that does not have it already.
 */
export type ProofService = {
  /** One attempt, unless the address is proven. Null: the site has no key of its own, and cannot. */
  prove(siteId: number, options?: ProofOptions): Promise<Proof | null>;
  /** Some attempts, in the background: the site stores its key when it has the answer. */
  start(siteId: number): void;
  close(): Promise<void>;
};

/** `again`: also at an address that is proven, to see whether the site can be reached now. */
export type ProofOptions = { again?: boolean };
export type Proof = { reachable: true } | { reachable: false; error: string; outcome: NotProven };
type NotProven = Exclude<SiteOutcome<never>, { kind: 'answered' }>;

type Dependencies = {
  db: Database;
  secrets: Pick<Secrets, 'decrypt'>;
  clock: Clock;
  audit: AuditService;
  sites: Pick<SiteService, 'register'>;
  callLog: Pick<CallLogService, 'start'>;
  siteClient: Pick<SiteClient, 'prove'>;
  /** How long a site may take; left out: as long as a user waits for it. */
  proofSeconds?: number;
  log: Pick<Logger, 'warn'>;
};

const REACHABLE = { reachable: true } as const;
const PAUSES_MS = [50, 500, 1000, 2000, 5000];
const BY_PANEL: Origin = { actor: 'system', via: 'worker' };
const OTHER_SITE =
  'Something answers at the address of this site, but it does not have the key of this site. Look whether another site is there now, then connect this one again.';

export function createProofService(deps: Dependencies): ProofService {
  const { db, secrets, clock, audit, sites, callLog, siteClient, log } = deps;
  const limit = deps.proofSeconds === undefined ? {} : { seconds: deps.proofSeconds };
  const underWay = new Map<number, Promise<void>>();
  const stopping = new AbortController();

  async function prove(siteId: number, { again = false } = {}): Promise<Proof | null> {
    const site = await findSiteToProve(db, siteId);
    const { pending_key_encrypted: pending, site_key_encrypted: own } = site ?? {};
    if (site && pending) {
      const endpointUrl = site.pending_endpoint_url ?? site.endpoint_url;
      const outcome = await challenge(site, { endpointUrl, key: pending });
      if (outcome === null) return complete(site, pending);
      // A stranger who asks to connect the site again does not keep it from proving its address.
      if (!own) return notProven(site, outcome);
    }
    if (!site || !own) return null;
    const { wanted_endpoint_url: wanted } = site;
    if (site.proven_at && !again) return REACHABLE;
    const outcome = await challenge(site, { endpointUrl: site.endpoint_url, key: own });
    if (outcome !== null) return notProven(site, wanted ? withHint(outcome, wanted) : outcome);
    return confirm(site, own);
  }

  async function notProven(site: SiteToProve, outcome: NotProven): Promise<Proof> {
    const { error } = outcome;
    if (!site.proven_at) await storeProofError(db, site.site_id, error);
    return { reachable: false, error, outcome };
  }

  /** Null: the site has answered with what only this key can make. */
  async function challenge(
    site: SiteToProve,
    { endpointUrl, key }: { endpointUrl: string | null; key: Buffer },
  ): Promise<NotProven | null> {
    const siteKey = secrets.decrypt(key, 'site_key');
    const login = site.web_login_encrypted;
    const webLogin = login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
    const { url: siteUrl, endpoint_origin: endpointOrigin } = site;
    const target = { siteUrl, endpointUrl, endpointOrigin, webLogin };
    const asked = randomBytes(32).toString('hex');
    const outcome = await siteClient.prove(target, asked, limit);
    if (outcome.kind !== 'answered') return outcome;
    const text = textToProve(asked, site.canonical_url);
    const expected = createHmac('sha256', siteKey).update(text).digest();
    const isProven = timingSafeEqual(expected, Buffer.from(outcome.body.proof, 'hex'));
    return isProven ? null : failed('not_proven', { error: OTHER_SITE, sent: true });
  }

  async function confirm(
    { site_id, license_id, canonical_url }: SiteToProve,
    keyEncrypted: Buffer,
  ): Promise<Proof> {
    await db.transaction().execute(async (trx) => {
      const proven = { siteId: site_id, keyEncrypted, now: clock.now() };
      // Proven before: that is not worth a record.
      if (!(await markProven(trx, proven))) return;
      await audit.record(
        trx,
        BY_PANEL,
        recordOf('prove_address', site_id, license_id, canonical_url),
      );
    });
    return REACHABLE;
  }

  /** The key and the token that the site had before end here. */
  async function complete(site: SiteToProve, keyEncrypted: Buffer): Promise<Proof> {
    const { site_id, license_id, url, canonical_url } = site;
    await db.transaction().execute(async (trx) => {
      // First, as activating does.
      await lockLicense(trx, { id: license_id });
      const enrolment = await lockEnrolment(trx, site_id);
      // Connected once more, meanwhile: that one has to be proven.
      if (!enrolment?.site_key_encrypted.equals(keyEncrypted)) return;
      // The site before its activation, as everywhere.
      const endpointUrl = enrolment.endpoint_url ?? undefined;
      await sites.register(trx, license_id, siteOf(url), { endpointUrl });
      await callLog.start(trx, site_id, enrolment.capabilities);
      await updateActivation(trx, site_id, {
        token_hash: enrolment.token_hash,
        token_encrypted: enrolment.token_encrypted,
        site_key_hash: enrolment.site_key_hash,
        site_key_encrypted: enrolment.site_key_encrypted,
        capabilities: enrolment.capabilities,
        license_key_encrypted: null,
        key_ends_at: null,
        accepts_unsigned_calls: false,
        proven_at: clock.now(),
        proof_error: null,
      });
      await deleteEnrolment(trx, site_id);
      await audit.record(
        trx,
        BY_PANEL,
        recordOf('replace_site_key', site_id, license_id, canonical_url),
      );
    });
    return REACHABLE;
  }

  async function tryRepeatedly(siteId: number): Promise<void> {
    for (const pause of PAUSES_MS) {
      await sleep(pause, undefined, { signal: stopping.signal });
      const proof = await prove(siteId);
      if (proof?.reachable !== false && !(await isPending(db, siteId))) return;
    }
  }

  return {
    prove,

    start(siteId) {
      if (underWay.has(siteId) || stopping.signal.aborted) return;
      const trying = tryRepeatedly(siteId)
        .catch((err) => {
          if (!stopping.signal.aborted)
            log.warn({ err, site: siteId }, 'An address was not proven.');
        })
        .finally(() => underWay.delete(siteId));
      underWay.set(siteId, trying);
    },

    async close() {
      stopping.abort();
      await Promise.all(underWay.values());
    },
  };
}

function withHint(outcome: NotProven, wanted: string): NotProven {
  const hint = `The site asks to be called at ${wanted}, which is another host. An owner can approve that on the page of the site.`;
  return { ...outcome, error: `${outcome.error} ${hint}` };
}

function recordOf(action: string, siteId: number, licenseId: number, siteUrl: string) {
  const context = { license_id: licenseId, site_url: siteUrl };
  return { action, entityType: 'activation', entityId: siteId, siteId, context };
}
