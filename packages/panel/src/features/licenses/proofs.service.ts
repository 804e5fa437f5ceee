import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { proofText } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { failed, type SiteClient, type SiteOutcome } from '../../site-client/index.ts';
import type { AuditService } from '../audit/index.ts';
import type { CallLogService, SiteService } from '../sites/index.ts';
import { updateActivation } from './activations.repository.ts';
import { deleteEnrolment, hasEnrolment, lockEnrolment } from './enrolments.repository.ts';
import { lockLicense } from './licenses.repository.ts';
import { parseSiteUrl } from './parse-request.ts';
import {
  findSiteToProve,
  markProven,
  type SiteToProve,
  storeProofError,
} from './proofs.repository.ts';

/**
 * Proof of address: the panel calls the site at the address it reports, and the site responds with an HMAC made with
 * its key. The panel therefore never sends a key to a host that does not have it.
 */
export type ProofService = {
  /** Makes one attempt, unless the address is proven. Null if the site has no site key, so it cannot prove it. */
  prove(siteId: number, options?: ProofOptions): Promise<Proof | null>;
  /** Retries in the background: the site stores its key only after it has received the panel's response. */
  start(siteId: number): void;
  close(): Promise<void>;
};

/** `again` also calls a site with a proven address, to test whether it is reachable now. */
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
  /** The timeout of a call. Default: the timeout for a waiting user. */
  proofSeconds?: number;
  log: Pick<Logger, 'warn'>;
};

const REACHABLE = { reachable: true } as const;
const RETRY_DELAYS_MS = [50, 500, 1000, 2000, 5000];
const BY_PANEL: Origin = { actor: 'system', via: 'worker' };
const OTHER_SITE =
  'The address of this site responds, but without the key of this site. Check whether another site runs there now, then connect this site again.';

export function createProofService(deps: Dependencies): ProofService {
  const { db, secrets, clock, audit, sites, callLog, siteClient, log } = deps;
  const limit = deps.proofSeconds === undefined ? {} : { seconds: deps.proofSeconds };
  const running = new Map<number, Promise<void>>();
  const stopping = new AbortController();

  async function prove(siteId: number, { again = false } = {}): Promise<Proof | null> {
    const site = await findSiteToProve(db, siteId);
    const { pending_key_encrypted: pending, site_key_encrypted: own } = site ?? {};
    if (site && pending) {
      const endpointUrl = site.pending_endpoint_url ?? site.endpoint_url;
      const outcome = await challenge(site, { endpointUrl, key: pending });
      if (outcome === null) return complete(site, pending);
      // A failed enrolment by a stranger must not keep the site from proving its address with its own key.
      if (!own) return notProven(site, outcome);
    }
    if (!site || !own) return null;
    const { requested_endpoint_url: requested } = site;
    if (site.proven_at && !again) return REACHABLE;
    const outcome = await challenge(site, { endpointUrl: site.endpoint_url, key: own });
    if (outcome !== null)
      return notProven(site, requested ? withHint(outcome, requested) : outcome);
    return confirm(site, own);
  }

  async function notProven(site: SiteToProve, outcome: NotProven): Promise<Proof> {
    const { error } = outcome;
    if (!site.proven_at) await storeProofError(db, site.site_id, error);
    return { reachable: false, error, outcome };
  }

  /** Null if the response proves that the site has this key. */
  async function challenge(
    site: SiteToProve,
    { endpointUrl, key }: { endpointUrl: string | null; key: Buffer },
  ): Promise<NotProven | null> {
    const siteKey = secrets.decrypt(key, 'site_key');
    const login = site.web_login_encrypted;
    const webLogin = login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
    const { url: siteUrl, endpoint_origin: endpointOrigin } = site;
    const target = { siteUrl, endpointUrl, endpointOrigin, webLogin };
    const nonce = randomBytes(32).toString('hex');
    const outcome = await siteClient.prove(target, nonce, limit);
    if (outcome.kind !== 'answered') return outcome;
    const text = proofText(nonce, site.canonical_url);
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
      // A repeated proof needs no audit record.
      if (!(await markProven(trx, proven))) return;
      await audit.record(
        trx,
        BY_PANEL,
        recordOf('prove_address', site_id, license_id, canonical_url),
      );
    });
    return REACHABLE;
  }

  /** Completes the enrolment: the former key and token of the site become invalid. */
  async function complete(site: SiteToProve, keyEncrypted: Buffer): Promise<Proof> {
    const { site_id, license_id, url, canonical_url } = site;
    await db.transaction().execute(async (trx) => {
      // Locks the license first, like activating, to prevent a deadlock.
      await lockLicense(trx, { id: license_id });
      const enrolment = await lockEnrolment(trx, site_id);
      // A newer enrolment has replaced this one and needs its own proof.
      if (!enrolment?.site_key_encrypted.equals(keyEncrypted)) return;
      // Writes the site before its activation, like all other writers, to prevent a deadlock.
      const endpointUrl = enrolment.endpoint_url ?? undefined;
      await sites.register(trx, license_id, parseSiteUrl(url), { endpointUrl });
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
    for (const delayMs of RETRY_DELAYS_MS) {
      await sleep(delayMs, undefined, { signal: stopping.signal });
      const proof = await prove(siteId);
      if (proof?.reachable !== false && !(await hasEnrolment(db, siteId))) return;
    }
  }

  return {
    prove,

    start(siteId) {
      if (running.has(siteId) || stopping.signal.aborted) return;
      const attempts = tryRepeatedly(siteId)
        .catch((err) => {
          if (!stopping.signal.aborted)
            log.warn({ err, site: siteId }, 'Unexpected error during proof of address.');
        })
        .finally(() => running.delete(siteId));
      running.set(siteId, attempts);
    },

    async close() {
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}

function withHint(outcome: NotProven, requestedUrl: string): NotProven {
  const hint = `The site requests an endpoint on another host: ${requestedUrl}. An owner can approve it on the page of the site.`;
  return { ...outcome, error: `${outcome.error} ${hint}` };
}

function recordOf(action: string, siteId: number, licenseId: number, siteUrl: string) {
  const context = { license_id: licenseId, site_url: siteUrl };
  return { action, entityType: 'activation', entityId: siteId, siteId, context };
}
