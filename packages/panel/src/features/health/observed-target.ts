import type { WebLogin } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteTarget } from '../../site-client/index.ts';
import { decideEndpoint } from '../sites/index.ts';
import { findObservedSite, type ObservedSite } from './reachability.repository.ts';

type Decrypt = Pick<Secrets, 'decrypt'>;

export function toObservedTarget(site: ObservedSite, secrets: Decrypt): SiteTarget {
  const { web_login_encrypted: login, site_key_encrypted: key } = site;
  const webLogin: WebLogin | null = login && JSON.parse(secrets.decrypt(login, 'site_web_login'));
  const { callUrl, chosenUrl } = decideEndpoint({ ...site, has_site_key: key !== null });
  // The panel verifies the proof with this key. It does not send the key.
  const serviceKey = key ? secrets.decrypt(key, 'site_key') : '';
  return { siteUrl: site.url, endpointUrl: callUrl ?? chosenUrl, serviceKey, webLogin };
}

/** Returns null if the site is disconnected or archived, or has no site key or no proven endpoint: only that one gets signed calls. */
export async function findProvenTarget(
  db: Database,
  secrets: Decrypt,
  siteId: number,
): Promise<SiteTarget | null> {
  const site = await findObservedSite(db, siteId);
  // A site that was connected again without a site key keeps its links.
  if (!site?.site_key_encrypted) return null;
  const { callUrl } = decideEndpoint({ ...site, has_site_key: true });
  return callUrl === null ? null : toObservedTarget(site, secrets);
}
