import type { WebLogin } from '@steward/contract';
import type { Channels } from '../../platform/channels.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteClient } from '../../site-client/index.ts';
import { decideEndpoint } from '../sites/index.ts';
import { findSitesToNotify, LICENSE_CHANNEL } from './license-changes.repository.ts';

const CONCURRENCY_LIMIT = 10;

type Dependencies = {
  db: Database;
  secrets: Pick<Secrets, 'decrypt'>;
  siteClient: Pick<SiteClient, 'requestCheckIn'>;
  channels: Pick<Channels, 'listen'>;
  log: Pick<Logger, 'warn'>;
};

/**
 * Asks the sites of a license to check in now, after the license is suspended, resumed or revoked, or after a change of its
 * expiry date that makes it expired or valid again. A site without a site key or a proven endpoint, or that the panel
 * cannot reach, gets the change at its next check-in. Returns a function that stops the notifier.
 */
export async function startLicenseChangeNotifier(deps: Dependencies): Promise<() => void> {
  const { db, secrets, siteClient, channels, log } = deps;
  const changes = await channels.listen(LICENSE_CHANNEL);

  async function notifySites(licenseId: number): Promise<void> {
    const sites = await findSitesToNotify(db, licenseId);
    const notifyRemaining = async () => {
      for (let site = sites.pop(); site; site = sites.pop()) {
        const { url: siteUrl, web_login_encrypted: login } = site;
        const { callUrl: endpointUrl } = decideEndpoint({ ...site, has_site_key: true });
        // A signed call goes only to a proven endpoint.
        if (endpointUrl === null) continue;
        const webLogin: WebLogin | null =
          login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
        await siteClient.requestCheckIn({ siteUrl, endpointUrl, webLogin });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY_LIMIT }, notifyRemaining));
  }

  return changes.on((payload) => {
    if (payload === '') return;
    notifySites(Number(payload)).catch((err) =>
      log.warn({ err, license: payload }, 'Failed to notify sites of a license change.'),
    );
  });
}
