import type { Activation, CheckRequest, License, VerifyRequest } from '@steward/contract';
import type pg from 'pg';
import { AppError } from '../../platform/app-error.ts';
import { createBatcher } from '../../platform/batcher.ts';
import type { Clock } from '../../platform/clock.ts';
import { isPassingFault } from '../../platform/database/connect.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { LoadMonitor } from '../../platform/load-monitor.ts';
import type { Origin } from '../../platform/origin.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import type { CallLogService, SiteService } from '../sites/index.ts';
import {
  type ActivationRecord,
  findActivation,
  findSiteKeyOwner,
  storeCurrentKey,
  updateActivation,
} from './activations.repository.ts';
import { type CheckedIn, type CheckIn, recordCheckIns } from './checks.repository.ts';
import { findPendingSite } from './enrolments.repository.ts';
import { isTokenOf, keyOf, type RequestKey, siteOf } from './identify.ts';
import { activationView, licenseView } from './license-view.ts';
import { findLicense } from './licenses.repository.ts';
import { nextCheckInSeconds } from './next-check-in.ts';
import { type ActiveStanding, assertActive, assertKeyOfSite, type Standing } from './standing.ts';

type CheckAnswer = {
  license: License;
  activation: Activation;
  enabled_services: string[];
  next_check_in: number;
};

type VerifyAnswer = CheckAnswer & { call_log?: { acknowledged: number } };

/** The plugin on a site asks whether it may run. */
export type CheckService = {
  check(request: CheckRequest): Promise<CheckAnswer>;
  verify(request: VerifyRequest, origin: Origin): Promise<VerifyAnswer>;
};

type Dependencies = {
  db: Database;
  pool: pg.Pool;
  secrets: Secrets;
  clock: Clock;
  load: LoadMonitor;
  sites: SiteService;
  audit: AuditService;
  callLog: Pick<CallLogService, 'receive'>;
};

const MAX_BATCH_SIZE = 256;

export function createCheckService(deps: Dependencies): CheckService {
  const { db, pool, secrets, clock, load, sites, audit, callLog } = deps;

  const checkIns = createBatcher<CheckIn, CheckedIn | undefined>({
    run: (batch) => recordCheckIns(pool, batch, clock.now()),
    // Not by the key: a site may be spoken for with two of them at the same moment.
    keyOf: ({ canonical_url }) => canonical_url,
    maxBatchSize: MAX_BATCH_SIZE,
    isFaultOfOne: (error) => !isPassingFault(error),
  });

  return {
    async check(request) {
      const site = siteOf(request.site_url);
      const { activation_token: token } = request;
      const key = keyOf(request.license_key, secrets);
      const checkedIn = await checkIns.submit({
        key_hash: key.hash,
        is_site_key: key.isSiteKey,
        canonical_url: site.canonical,
        token_hash: token === undefined ? null : hashToken(token),
        cms_version: request.cms_version,
        php_version: request.php_version,
        plugin_version: request.plugin_version,
        environment: request.environment ?? null,
      });
      const standing = checkedIn?.key_fits ? standingOf(checkedIn) : undefined;
      if (!standing) await assertNotPending(key);
      const now = clock.now();
      assertActive(standing, now);
      if (checkedIn?.has_new_key) {
        await storeCurrentKey(db, standing.activation.site_id, key.hash);
      }
      return answer(standing, now);
    },

    async verify(request, origin) {
      const site = siteOf(request.site_url);
      const key = keyOf(request.license_key, secrets);
      const owner = key.isSiteKey ? await findSiteKeyOwner(db, key.hash) : null;
      if (key.isSiteKey && !owner) await assertNotPending(key);

      return db.transaction().execute(async (trx) => {
        const by = owner ? { id: owner.license_id } : { keyHash: key.hash, now: clock.now() };
        const license = await findLicense(trx, by);
        const known = license && (await findActivation(trx, license.id, site.canonical));
        if (owner && known?.site_id !== owner.site_id) throw new AppError('invalid_license_key');
        if (license && known) assertKeyOfSite(key, license, known, clock.now());
        const standing = license && {
          license,
          activation: known
            ? { ...known, tokenMatches: isTokenOf(known, request.activation_token) }
            : null,
        };
        const now = clock.now();
        assertActive(standing, now);

        const { site_id, site_url } = standing.activation;
        // The site before its activation, as activating does: the other way round the two could
        // wait for each other.
        // By the address that was activated, not the one in this request: the two may differ in
        // scheme and `www.`, and the key must not be led elsewhere.
        await sites.storeReport(trx, site_id, siteOf(site_url), {
          endpointUrl: request.endpoint_url,
          inventory: request.inventory,
        });
        // A key that has ended meanwhile had another log.
        const isItself = known?.site_key_hash?.equals(Buffer.from(key.hash, 'hex')) ?? false;
        const received = known && isItself ? await receiveCallLog(trx, known, request, origin) : {};
        if (known) await noteChanges(trx, request, { known, key }, origin);
        return { ...answer(standing, now), ...received };
      });
    },
  };

  /** What the report says of the site itself, beside what is installed on it. */
  async function noteChanges(
    trx: Trx,
    request: VerifyRequest,
    { known, key }: { known: ActivationRecord; key: RequestKey },
    origin: Origin,
  ): Promise<void> {
    const { cms_version, php_version, plugin_version, environment } = request;
    // A site without a key of its own has nothing to ask for signatures with.
    const accepts_unsigned_calls = known.site_key_hash ? request.accepts_unsigned_calls : undefined;
    const { site_id } = known;
    await updateActivation(trx, site_id, {
      cms_version,
      php_version,
      plugin_version,
      environment,
      accepts_unsigned_calls,
      ...(request.capabilities && {
        capabilities: [...new Set([...known.capabilities, ...request.capabilities])],
      }),
    });
    if (known.key_ends_at && !key.isSiteKey) await storeCurrentKey(trx, site_id, key.hash);
    const accepts = accepts_unsigned_calls ?? known.accepts_unsigned_calls;
    if (accepts !== known.accepts_unsigned_calls) {
      await audit.record(trx, origin, {
        action: accepts ? 'accept_unsigned_calls' : 'require_signed_calls',
        entityType: 'activation',
        entityId: site_id,
        siteId: site_id,
      });
    }
  }

  /** Of a site that was connected again, and that the panel has not reached since. */
  async function assertNotPending(key: RequestKey): Promise<void> {
    const siteId = key.isSiteKey ? await findPendingSite(db, key.hash) : null;
    if (siteId !== null) throw new AppError('address_not_proven', { details: { site_id: siteId } });
  }

  /** Only of a site with a key of its own: with the license key, anybody could report one. */
  async function receiveCallLog(
    trx: Trx,
    { site_id: siteId, site_url, accepts_unsigned_calls }: ActivationRecord,
    { call_log: report, ...request }: VerifyRequest,
    origin: Origin,
  ): Promise<Pick<VerifyAnswer, 'call_log'>> {
    if (report === undefined) return {};
    // The switch may have been turned since the last report, in either direction.
    const acceptsUnsignedCalls = accepts_unsigned_calls || request.accepts_unsigned_calls === true;
    const site = { siteId, canonicalUrl: siteOf(site_url).canonical, acceptsUnsignedCalls };
    const acknowledged = await callLog.receive(trx, site, report, origin);
    return acknowledged === null ? {} : { call_log: { acknowledged } };
  }

  function answer({ license, activation }: ActiveStanding, now: Date): CheckAnswer {
    return {
      license: licenseView(license, now),
      activation: activationView(activation),
      enabled_services: license.services,
      next_check_in: nextCheckInSeconds(Math.random(), load.utilization()),
    };
  }
}

function standingOf(row: CheckedIn): Standing {
  const license = { ...row, status: row.license_status };
  if (row.site_id === null) return { license, activation: null };
  const { site_id, site_url, counted, activated_at, last_check_at } = row;
  return {
    license,
    activation: {
      site_id,
      site_url,
      counted,
      activated_at,
      last_check_at,
      status: row.activation_status,
      tokenMatches: row.token_matches,
    },
  };
}
