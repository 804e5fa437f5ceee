import { timingSafeEqual } from 'node:crypto';
import { canonicalSiteUrl, isSiteKey, normalizeLicenseKey, type SiteUrl } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';

/** What a request says it is about, in the form the database knows it by. */

/** A site key stands for the license of its site, and for that site alone. */
export type RequestKey = { hash: string; isSiteKey: boolean; canonical: string };

export function keyOf(sent: string, secrets: Secrets): RequestKey {
  const isOfSite = isSiteKey(sent);
  const canonical = isOfSite ? sent : normalizeLicenseKey(sent);
  if (canonical === null) throw new AppError('invalid_license_key', { internal: 'malformed' });
  return { hash: secrets.fingerprint(canonical), isSiteKey: isOfSite, canonical };
}

export function siteOf(siteUrl: string): SiteUrl {
  const site = canonicalSiteUrl(siteUrl);
  if (site.ok) return site;
  throw new AppError('invalid_site_url', {
    message: `The address of the site cannot be used: ${site.reason}.`,
  });
}

/** A token is optional, but when one is sent it has to be the right one. */
export function isTokenOf(activation: { token_hash: Buffer }, token: string | undefined): boolean {
  if (token === undefined) return true;
  return timingSafeEqual(activation.token_hash, Buffer.from(hashToken(token), 'hex'));
}
