import { timingSafeEqual } from 'node:crypto';
import { canonicalSiteUrl, normalizeLicenseKey, type SiteUrl } from '@steward/contract';
import { AppError } from '../../lib/app-error.ts';
import { hashToken, type Secrets } from '../../lib/secrets.ts';

/** What a request says it is about, in the form the database knows it by. */

export function keyHashOf(licenseKey: string, secrets: Secrets): string {
  const normalized = normalizeLicenseKey(licenseKey);
  if (normalized === null) throw new AppError('invalid_license_key', { internal: 'malformed' });
  return secrets.fingerprint(normalized);
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
