import { timingSafeEqual } from 'node:crypto';
import { canonicalSiteUrl, isSiteKey, normalizeLicenseKey, type SiteUrl } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';

/** A site key identifies the license of its site and is valid for that site only. */
export type RequestKey = { hash: string; isSiteKey: boolean; canonical: string };

export function parseKey(text: string, secrets: Secrets): RequestKey {
  const isKeyOfSite = isSiteKey(text);
  const canonical = isKeyOfSite ? text : normalizeLicenseKey(text);
  if (canonical === null) throw new AppError('invalid_license_key', { internal: 'malformed' });
  return { hash: secrets.fingerprint(canonical), isSiteKey: isKeyOfSite, canonical };
}

export function parseSiteUrl(siteUrl: string): SiteUrl {
  const site = canonicalSiteUrl(siteUrl);
  if (site.ok) return site;
  throw new AppError('invalid_site_url', {
    message: `The site address is invalid: ${site.reason}.`,
  });
}

/** True without a token: clients may omit it. */
export function matchesToken(
  activation: { token_hash: Buffer },
  token: string | undefined,
): boolean {
  if (token === undefined) return true;
  return timingSafeEqual(activation.token_hash, Buffer.from(hashToken(token), 'hex'));
}
