import { timingSafeEqual } from 'node:crypto';
import {
  canonicalSiteUrl,
  isSiteKey,
  normalizeEnrolmentCode,
  normalizeLicenseKey,
  type SiteUrl,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';

/** The key of a request: a license key, a site key (valid for one site only) or an enrolment code. */
export type RequestKey = {
  hash: string;
  isSiteKey: boolean;
  isEnrolmentCode?: true;
  canonical: string;
};

export function parseKey(text: string, secrets: Secrets): RequestKey {
  const hasSiteKey = isSiteKey(text);
  const canonical = hasSiteKey ? text : normalizeLicenseKey(text);
  if (canonical === null) throw new AppError('invalid_license_key', { internal: 'malformed' });
  return { hash: secrets.fingerprint(canonical), isSiteKey: hasSiteKey, canonical };
}

/** Only `activate` accepts enrolment codes. */
export function parseKeyOrCode(text: string, secrets: Secrets): RequestKey {
  const code = normalizeEnrolmentCode(text);
  if (code === null) return parseKey(text, secrets);
  const hash = secrets.fingerprint(code);
  return { hash, isSiteKey: false, isEnrolmentCode: true, canonical: code };
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
