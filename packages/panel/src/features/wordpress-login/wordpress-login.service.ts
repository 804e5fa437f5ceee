import {
  callObstacle,
  ERROR_CODES,
  type ErrorCode,
  type LoginUser,
  type PanelUser,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteOutcome, SiteTarget } from '../../site-client/index.ts';
import type { AuditService } from '../audit/index.ts';
import type { ProbeClient } from '../licenses/index.ts';
import { decideEndpoint } from '../sites/index.ts';
import { isOwnAddress } from './is-own-address.ts';
import { findSiteToOpen } from './site-to-open.repository.ts';

/** Logs users of the panel in to a WordPress site, without a password of the site. */
export type WordPressLoginService = {
  /** The users of the site that its administrator has chosen. */
  listUsers(user: PanelUser, siteId: number): Promise<LoginUser[]>;
  /** Returns a token that opens one session, and where the browser posts it. Recorded whether or not it succeeds. */
  create(
    user: PanelUser,
    siteId: number,
    wordPressUserId: number,
    origin: AuditOrigin,
  ): Promise<WordPressLogin>;
};

export type WordPressLogin = { url: string; token: string };

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'decrypt'>;
  audit: AuditService;
  siteClient: Pick<ProbeClient, 'listLoginUsers' | 'createLogin'>;
};

type Target = SiteTarget & { endpointUrl: string; licenseId: number };

const ACTOR_MAX_LENGTH = 200;

export function createWordPressLoginService(deps: Dependencies): WordPressLoginService {
  const { db, clock, secrets, audit, siteClient } = deps;

  /** Throws if the panel cannot call this site for a log-in. */
  async function findTarget(user: PanelUser, siteId: number): Promise<Target> {
    const site = await findSiteToOpen(db, user, siteId);
    if (!site) throw new AppError('site_not_found');
    const { license_status: licenseStatus, expires_at: licenseExpiresAt, services } = site;
    const facts = { activationStatus: site.activation_status, licenseStatus, licenseExpiresAt };
    const obstacle = callObstacle({ ...facts, services, keyEndsAt: null }, clock.now());
    if (obstacle === 'remote_off') throw new AppError('remote_disabled');
    if (obstacle !== null) throw new AppError('site_not_active');
    if (site.site_key_encrypted === null || !site.capabilities.includes('login'))
      throw new AppError('login_unsupported');
    const { callUrl: endpointUrl } = decideEndpoint({ ...site, has_site_key: true });
    if (endpointUrl === null) throw new AppError('address_not_proven');
    const login = site.web_login_encrypted;
    return {
      siteUrl: site.url,
      endpointUrl,
      serviceKey: secrets.decrypt(site.site_key_encrypted, 'site_key'),
      webLogin: login && JSON.parse(secrets.decrypt(login, 'site_web_login')),
      licenseId: site.license_id,
    };
  }

  async function requestLogin(
    user: PanelUser,
    siteId: number,
    wordPressUserId: number,
  ): Promise<WordPressLogin & { login: string }> {
    const target = await findTarget(user, siteId);
    const actor = (user.name || user.email).slice(0, ACTOR_MAX_LENGTH);
    const outcome = await siteClient.createLogin(target, { user: wordPressUserId, actor });
    if (outcome.kind !== 'answered') throw toAppError(outcome);
    const { url, token, login } = outcome.body;
    if (!isOwnAddress(url, target)) throw new AppError('login_elsewhere');
    return { url, token, login };
  }

  return {
    async listUsers(user, siteId) {
      const outcome = await siteClient.listLoginUsers(await findTarget(user, siteId));
      if (outcome.kind !== 'answered') throw toAppError(outcome);
      return outcome.body.users;
    },

    async create(user, siteId, wordPressUserId, origin) {
      // The token leaves the panel only after its record is written.
      const record = (context: Record<string, unknown>) =>
        db.transaction().execute((trx) =>
          audit.record(trx, origin, {
            action: 'log_in',
            entityType: 'site',
            entityId: siteId,
            siteId,
            context: { wordpress_user_id: wordPressUserId, ...context },
          }),
        );
      try {
        const { url, token, login } = await requestLogin(user, siteId, wordPressUserId);
        await record({ outcome: 'succeeded', wordpress_user: login });
        return { url, token };
      } catch (error) {
        // A site that the user may not see gets no record: it may not exist.
        const isHidden = error instanceof AppError && error.code === 'site_not_found';
        const code = error instanceof AppError ? error.code : 'internal_error';
        if (!isHidden) await record({ outcome: 'failed', code });
        throw error;
      }
    },
  };
}

function toAppError(outcome: Exclude<SiteOutcome<unknown>, { kind: 'answered' }>): AppError {
  const { code, error: message } = outcome;
  const isKnown = (name: string): name is ErrorCode => Object.hasOwn(ERROR_CODES, name);
  return new AppError(isKnown(code) ? code : 'action_failed', { message });
}
