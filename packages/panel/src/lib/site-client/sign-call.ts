import { hash, randomBytes } from 'node:crypto';
import {
  canonicalSiteUrl,
  NONCE_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
  textToSign,
} from '@steward/contract';

/** Gives a signature for each key that is in use. */
export type Sign = (text: string) => Promise<string[]>;

/** What shows a site that the call is the panel's, meant for this site, and new. */
export async function signatureHeaders(
  { siteUrl, path, body }: { siteUrl: string; path: string; body: string },
  sign: Sign,
): Promise<Record<string, string>> {
  const site = canonicalSiteUrl(siteUrl);
  const timestamp = Math.floor(Date.now() / 1000);
  const nonce = randomBytes(16).toString('hex');
  const text = textToSign({
    method: 'POST',
    route: `/service/v1/${path}`,
    siteUrl: site.ok ? site.canonical : siteUrl,
    timestamp,
    nonce,
    bodySha256: hash('sha256', body, 'hex'),
  });
  return {
    [TIMESTAMP_HEADER]: String(timestamp),
    [NONCE_HEADER]: nonce,
    [SIGNATURE_HEADER]: (await sign(text)).join(','),
  };
}
