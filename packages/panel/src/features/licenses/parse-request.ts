import { timingSafeEqual } from 'node:crypto';
import { canonicalSiteUrl, isSiteKey, normalizeLicenseKey, type SiteUrl } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';

/** The key of a request: a license key, or a site key, which is valid for its site only. */
export type RequestKey = { hash: string; isSiteKey: boolean; canonical: string };

export function parseKey(text: string, secrets: Secrets): RequestKey {
  const hasSiteKey = isSiteKey(text);
  const canonical = hasSiteKey ? text : normalizeLicenseKey(text);
  if (canonical === null) throw new AppError('invalid_license_key', { internal: 'malformed' });
  return { hash: secrets.fingerprint(canonical), isSiteKey: hasSiteKey, canonical };
}

export function parseSiteUrl(siteUrl: string): SiteUrl {
  const site = canonicalSiteUrl(siteUrl);
  if (site.ok) return site;
  throw new AppError('invalid_site_url', {
    message: `The site address is invalid: ${site.reason}.`,
  });
}

/** Clients may omit the token; a token that is sent must match. */
export function acceptsToken(
  activation: { token_hash: Buffer },
  token: string | undefined,
): boolean {
  if (token === undefined) return true;
  return timingSafeEqual(activation.token_hash, Buffer.from(hashToken(token), 'hex'));
}
