import { hash } from 'node:crypto';
import {
  callSigningText,
  canonicalSiteUrl,
  NONCE_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '@steward/contract';
import type { CallNonces } from './call-nonces.ts';

export type CallSigner = Pick<CallNonces, 'nonceFor'> & {
  /** Returns one signature per signing key in use. */
  sign(text: string): Promise<string[]>;
};

/** Builds the headers that prove that the call comes from the panel, is for this site, and is not a replay. */
export async function buildSignatureHeaders(
  { siteUrl, path, body }: { siteUrl: string; path: string; body: string },
  signer: CallSigner,
): Promise<Record<string, string>> {
  const site = canonicalSiteUrl(siteUrl);
  const timestamp = Math.floor(Date.now() / 1000);
  const call = {
    method: 'POST',
    route: `/service/v1/${path}`,
    siteUrl: site.ok ? site.canonical : siteUrl,
    timestamp,
    bodySha256: hash('sha256', body, 'hex'),
  } as const;
  const nonce = signer.nonceFor(call);
  const text = callSigningText({ ...call, nonce });
  return {
    [TIMESTAMP_HEADER]: String(timestamp),
    [NONCE_HEADER]: nonce,
    [SIGNATURE_HEADER]: (await signer.sign(text)).join(','),
  };
}
