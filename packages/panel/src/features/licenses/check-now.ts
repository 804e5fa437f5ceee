import type { WebLogin } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, Trx } from '../../database/tables.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Channel } from '../../lib/notifications.ts';
import type { Secrets } from '../../lib/secrets.ts';
import type { SiteClient } from '../../lib/site-client/index.ts';

/**
 * Sites ask twice a day how their license stands. When it was suspended, resumed or revoked, the panel asks
 * them to check at once. A site that is not reached learns of it at its next check-in.
 */

export const LICENSE_CHANNEL = 'steward_licenses';

const AT_ONCE = 10;

/** With the transaction of the change: workers are told when it is there to be seen. */
export async function announceChange(trx: Trx, licenseId: number): Promise<void> {
  await sql`SELECT pg_notify(${LICENSE_CHANNEL}, ${String(licenseId)})`.execute(trx);
}

type Dependencies = {
  db: Database;
  secrets: Pick<Secrets, 'decrypt'>;
  siteClient: Pick<SiteClient, 'checkNow'>;
  changes: Channel;
  log: Pick<Logger, 'warn'>;
};

/** Gives what stops it. */
export function startCheckNow({ db, secrets, siteClient, changes, log }: Dependencies): () => void {
  async function tellSites(licenseId: number): Promise<void> {
    const sites = await sitesToTell(db, licenseId);
    const tellNext = async () => {
      for (let site = sites.pop(); site; site = sites.pop()) {
        const { url: siteUrl, endpoint_url: endpointUrl, web_login_encrypted: login } = site;
        const webLogin: WebLogin | null =
          login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
        await siteClient.checkNow({ siteUrl, endpointUrl, webLogin });
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

/** Those that were closed with the license too: they have to hear of it. */
function sitesToTell(db: Database, licenseId: number) {
  return db
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .select(['s.url', 's.endpoint_url', 's.web_login_encrypted'])
    .where('a.license_id', '=', licenseId)
    .where('a.site_key_hash', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('a.status', '=', 'active'),
        eb('a.deactivated_at', '>', sql<Date>`now() - interval '1 hour'`),
      ]),
    )
    .execute();
}
