import type { SiteUrl } from '@steward/contract';
import type { ActivationRecord } from './activations.repository.ts';
import { parseSiteUrl } from './parse-request.ts';

type KnownAddress = Pick<ActivationRecord, 'site_url' | 'site_key_hash'>;

/**
 * A site never changes from HTTPS to HTTP while it is connected: HTTP would send the key in clear text. A site with a site
 * key also keeps its host: the one with `www.` may belong to another party, which could pass the challenge of a proof on to
 * the site.
 */
export function keepAddress(site: SiteUrl, activation: KnownAddress): SiteUrl {
  const current = parseSiteUrl(activation.site_url);
  const isDowngrade = isHttps(current) && !isHttps(site);
  const hasSiteKey = activation.site_key_hash !== null;
  return isDowngrade || (hasSiteKey && isOtherHost(site, current)) ? current : site;
}

/** Whether the login for the web server, which an owner entered for the present address, must not be sent to this one. */
export function isOtherServer(site: SiteUrl, activation: KnownAddress): boolean {
  const current = parseSiteUrl(activation.site_url);
  return isOtherHost(site, current) || (isHttps(current) && !isHttps(site));
}

export const isOtherHost = (one: SiteUrl, other: SiteUrl) =>
  new URL(one.origin).hostname !== new URL(other.origin).hostname;

const isHttps = ({ origin }: SiteUrl) => origin.startsWith('https:');
