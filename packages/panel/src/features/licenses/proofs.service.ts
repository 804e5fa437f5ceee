import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditAction, proofText } from '@steward/contract';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { failed, type SiteOutcome } from '../../site-client/index.ts';
import type { AuditEntry, RepeatedEvents } from '../audit/index.ts';
import {
  type CallLogService,
  decideEndpoint,
  lockSitesById,
  type SiteService,
} from '../sites/index.ts';
import { updateActivation } from './activations.repository.ts';
import { deleteEnrolment, hasEnrolment, lockEnrolment } from './enrolments.repository.ts';
import { lockLicense } from './licenses.repository.ts';
import { parseSiteUrl } from './parse-request.ts';
import type { ProbeClient } from './probe-limits.ts';
import {
  findSiteToProve,
  markProven,
  type SiteToProve,
  storeProofError,
} from './proofs.repository.ts';

/**
 * Proof of address: the panel sends a challenge to the reported address, and the site responds with an HMAC of the
 * challenge and its address under its site key. The panel therefore never sends a site key to a host that does not
 * have it.
 */
export type ProofService = {
  /**
   * Makes one attempt, unless the endpoint is already proven and no enrolment is pending. Returns null for a site that
   * is not active, or has neither a site key nor a pending enrolment.
   */
  prove(siteId: number, options?: ProofOptions): Promise<ProofResult | null>;
  /**
   * Starts attempts in the background, because the site gets its key only in the response to the current request and
   * cannot prove its address before that.
   */
  start(siteId: number): void;
  close(): Promise<void>;
};

/** `evenIfProven`: also calls a site whose address is already proven, to test whether the panel can still reach it. */
export type ProofOptions = { evenIfProven?: boolean };
export type ProofResult =
  | { reachable: true }
  | { reachable: false; error: string; outcome: ProofFailure };
/** The endpoint that got the challenge, and the encrypted key that its response must prove. */
type Challenged = { endpointUrl: string | null; key: Buffer };
type ProofFailure = Exclude<SiteOutcome<never>, { kind: 'answered' }>;

type Dependencies = {
  db: Database;
  secrets: Pick<Secrets, 'decrypt'>;
  clock: Clock;
  repeatedEvents: Pick<RepeatedEvents, 'record'>;
  sites: Pick<SiteService, 'register'>;
  callLog: Pick<CallLogService, 'startNewLog'>;
  siteClient: Pick<ProbeClient, 'requestProof'>;
  /** The timeout of a call to a site. Default: the timeout of calls that a user waits for. */
  proofSeconds?: number;
  log: Pick<Logger, 'warn'>;
};

/** A site causes a proof with each change of its address or endpoint. */
const RECORDS_PER_DAY = 50;
const REACHABLE = { reachable: true } as const;
const RETRY_DELAYS_MS = [50, 500, 1000, 2000, 5000];
const WORKER_ORIGIN: AuditOrigin = { actor: 'system', via: 'worker' };
const WRONG_KEY_MESSAGE =
  'The address of this site responds, but the response was not made with the key of this site. Check whether another site runs there now, then connect this site again.';

export function createProofService(deps: Dependencies): ProofService {
  const { db, secrets, clock, repeatedEvents, sites, callLog, siteClient, log } = deps;
  const timeout = deps.proofSeconds === undefined ? {} : { seconds: deps.proofSeconds };
  const running = new Map<number, Promise<void>>();
  const stopping = new AbortController();

  async function prove(siteId: number, { evenIfProven = false } = {}): Promise<ProofResult | null> {
    const site = await findSiteToProve(db, siteId);
    const { pending_key_encrypted: pendingKey, site_key_encrypted: currentKey } = site ?? {};
    const endpoint = site && decideEndpoint({ ...site, has_site_key: true });
    if (site && endpoint && pendingKey) {
      const endpointUrl = site.pending_endpoint_url ?? endpoint.chosenUrl;
      const failure = await challenge(site, { endpointUrl, key: pendingKey });
      if (failure === null) return completeEnrolment(site, { endpointUrl, key: pendingKey });
      // An attacker may have started this enrolment. The site must still be able to prove its address with its current
      // site key.
      if (!currentKey) return storeFailure(site, failure);
    }
    if (!site || !endpoint || !currentKey) return null;
    const { requested_endpoint_url: requestedUrl } = site;
    if (!endpoint.needsProof && !evenIfProven) return REACHABLE;
    const challenged = { endpointUrl: endpoint.chosenUrl, key: currentKey };
    const failure = await challenge(site, challenged);
    if (failure !== null)
      return storeFailure(site, requestedUrl ? addApprovalHint(failure, requestedUrl) : failure);
    return storeProof(site, challenged);
  }

  async function storeFailure(site: SiteToProve, failure: ProofFailure): Promise<ProofResult> {
    const { error } = failure;
    const { needsProof } = decideEndpoint({ ...site, has_site_key: true });
    if (needsProof) await storeProofError(db, site.site_id, error);
    return { reachable: false, error, outcome: failure };
  }

  /** Returns null if the response proves that the site has this key. */
  async function challenge(
    site: SiteToProve,
    { endpointUrl, key }: Challenged,
  ): Promise<ProofFailure | null> {
    const siteKey = secrets.decrypt(key, 'site_key');
    const login = site.web_login_encrypted;
    const webLogin = login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
    const target = { siteUrl: site.url, endpointUrl, webLogin, licenseId: site.license_id };
    const challengeText = randomBytes(32).toString('hex');
    const outcome = await siteClient.requestProof(target, challengeText, timeout);
    if (outcome.kind !== 'answered') return outcome;
    const text = proofText(challengeText, site.canonical_url);
    const expected = createHmac('sha256', siteKey).update(text).digest();
    const isProven = timingSafeEqual(expected, Buffer.from(outcome.body.proof, 'hex'));
    return isProven ? null : failed('not_proven', { error: WRONG_KEY_MESSAGE, sent: true });
  }

  async function storeProof(
    { site_id, license_id, canonical_url }: SiteToProve,
    { endpointUrl, key }: Challenged,
  ): Promise<ProofResult> {
    await db.transaction().execute(async (trx) => {
      // The address and the endpoint of the site must not change before the result is stored.
      await lockSitesById(trx, [site_id]);
      const site = await findSiteToProve(trx, site_id);
      // The site may have moved or reported another endpoint since the challenge, which then needs its own proof.
      const endpoint = site && decideEndpoint({ ...site, has_site_key: true });
      if (!endpointUrl || endpoint?.chosenUrl !== endpointUrl) return;
      const proof = { siteId: site_id, endpointUrl, keyEncrypted: key, now: clock.now() };
      const isStored = await markProven(trx, proof);
      // Only the first proof gets an audit record: a site can report its standard endpoints in turn without end.
      if (!isStored || endpoint.callUrl !== null) return;
      const entry = buildAuditEntry('prove_address', site_id, license_id, canonical_url);
      await repeatedEvents.record(trx, WORKER_ORIGIN, entry, { recordsPerDay: RECORDS_PER_DAY });
    });
    return REACHABLE;
  }

  /** Makes the new key and token valid and the previous ones invalid. */
  async function completeEnrolment(
    { site_id, license_id, url, canonical_url }: SiteToProve,
    { endpointUrl, key }: Challenged,
  ): Promise<ProofResult> {
    await db.transaction().execute(async (trx) => {
      // Activating also locks the license first; another order could deadlock.
      await lockLicense(trx, { id: license_id });
      const enrolment = await lockEnrolment(trx, site_id);
      // A newer enrolment has replaced this one and needs its own proof.
      if (!enrolment?.site_key_encrypted.equals(key)) return;
      // Transactions that write both rows write the site before its activation; another order could deadlock.
      await sites.register(trx, license_id, parseSiteUrl(url), {
        endpointUrl: enrolment.endpoint_url ?? undefined,
      });
      await callLog.startNewLog(trx, site_id, enrolment.capabilities);
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
        proven_endpoint_url: endpointUrl,
        proof_error: null,
      });
      await deleteEnrolment(trx, site_id);
      const entry = buildAuditEntry('replace_site_key', site_id, license_id, canonical_url);
      await repeatedEvents.record(trx, WORKER_ORIGIN, entry, { recordsPerDay: RECORDS_PER_DAY });
    });
    return REACHABLE;
  }

  async function proveWithRetries(siteId: number): Promise<void> {
    for (const delayMs of RETRY_DELAYS_MS) {
      await sleep(delayMs, undefined, { signal: stopping.signal });
      const result = await prove(siteId);
      // An enrolment can stay pending after a success: `prove` also tries the current key if the pending key fails.
      if (result?.reachable !== false && !(await hasEnrolment(db, siteId))) return;
    }
  }

  return {
    prove,

    start(siteId) {
      if (running.has(siteId) || stopping.signal.aborted) return;
      const attempts = proveWithRetries(siteId)
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

function addApprovalHint(failure: ProofFailure, requestedUrl: string): ProofFailure {
  const hint = `The site wants Steward to call it at another address: ${requestedUrl}. An owner can approve this address on the page of the site.`;
  return { ...failure, error: `${failure.error} ${hint}` };
}

function buildAuditEntry(
  action: AuditAction<'activation'>,
  siteId: number,
  licenseId: number,
  siteUrl: string,
): AuditEntry {
  const context = { license_id: licenseId, site_url: siteUrl };
  return { action, entityType: 'activation', entityId: siteId, siteId, context };
}
