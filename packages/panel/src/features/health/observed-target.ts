import type { WebLogin } from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteTarget } from '../../site-client/index.ts';
import { findObservedSite, type ObservedSite } from './reachability.repository.ts';

export function toObservedTarget(
  site: ObservedSite,
  secrets: Pick<Secrets, 'decrypt'>,
): SiteTarget {
  const { web_login_encrypted: login, site_key_encrypted: key } = site;
  const webLogin: WebLogin | null = login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
  const endpoint = { endpointUrl: site.endpoint_url, endpointOrigin: site.endpoint_origin };
  // The panel verifies the proof with this key. It does not send the key.
  const serviceKey = key ? secrets.decrypt(key, 'site_key') : '';
  return { siteUrl: site.url, ...endpoint, serviceKey, webLogin };
}

/** Returns where the panel observes a site; null if the site is disconnected or archived. */
export async function findObservedTarget(
  db: Database,
  secrets: Pick<Secrets, 'decrypt'>,
  siteId: number,
): Promise<SiteTarget | null> {
  const site = await findObservedSite(db, siteId);
  return site ? toObservedTarget(site, secrets) : null;
}
