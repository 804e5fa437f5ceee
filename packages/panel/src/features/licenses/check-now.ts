import type { WebLogin } from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Notifications } from '../../platform/notifications.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteClient } from '../../site-client/index.ts';
import { LICENSE_CHANNEL, sitesToTell } from './license-changes.repository.ts';

/**
 * Sites ask twice a day how their license stands. When it was suspended, resumed or revoked, the panel asks
 * them to check at once. A site that is not reached learns of it at its next check-in.
 */

const AT_ONCE = 10;

type Dependencies = {
  db: Database;
  secrets: Pick<Secrets, 'decrypt'>;
  siteClient: Pick<SiteClient, 'checkNow'>;
  notifications: Pick<Notifications, 'listen'>;
  log: Pick<Logger, 'warn'>;
};

/** Gives what stops it. */
export async function startCheckNow(deps: Dependencies): Promise<() => void> {
  const { db, secrets, siteClient, notifications, log } = deps;
  const changes = await notifications.listen(LICENSE_CHANNEL);

  async function tellSites(licenseId: number): Promise<void> {
    const sites = await sitesToTell(db, licenseId);
    const tellNext = async () => {
      for (let site = sites.pop(); site; site = sites.pop()) {
        const { url: siteUrl, web_login_encrypted: login } = site;
        const endpoint = { endpointUrl: site.endpoint_url, endpointOrigin: site.endpoint_origin };
        const webLogin: WebLogin | null =
          login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
        await siteClient.checkNow({ siteUrl, ...endpoint, webLogin });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, tellNext));
  }

  return changes.on((payload) => {
    if (payload === '') return;
    tellSites(Number(payload)).catch((err) =>
      log.warn({ err, license: payload }, 'Sites were not told of a change of their license.'),
    );
  });
}
