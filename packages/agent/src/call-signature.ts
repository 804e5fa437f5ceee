import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';
import {
  CLOCK_DIFFERENCE_MAX_SECONDS,
  callSigningText,
  canonicalSiteUrl,
  keySigningText,
  NONCE_HEADER,
  NONCE_LIFETIME_SECONDS,
  NONCE_PATTERN,
  proofText,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '@steward/contract';
import type { OptionsStore } from './site-options.ts';

const NONCE = new RegExp(NONCE_PATTERN);

export type ReceivedCall = { route: string; headers: Headers; body: string };

/** Verifies that the panel of this site signed the call for this site, a short time ago, and that it is no replay. */
export type SignatureCheck = (call: ReceivedCall, publicKey: string | null) => Promise<boolean>;

type Dependencies = { siteUrl: string; options: OptionsStore; now(): Date };

export function createSignatureCheck({ siteUrl, options, now }: Dependencies): SignatureCheck {
  let queue: Promise<unknown> = Promise.resolve();

  /** Claims run one at a time: of two concurrent calls with the same nonce, only the first succeeds. */
  function claimNonce(nonce: string, nowSeconds: number): Promise<boolean> {
    const claim = queue.then(async () => {
      const { used_nonces: used } = await options.read();
      if (Object.hasOwn(used, nonce)) return false;
      const unexpired = Object.entries(used).filter(([, expiresAt]) => expiresAt > nowSeconds);
      const nonces = [...unexpired, [nonce, nowSeconds + NONCE_LIFETIME_SECONDS] as const];
      await options.write({ used_nonces: Object.fromEntries(nonces) });
      return true;
    });
    queue = claim.catch(() => {});
    return claim;
  }

  return async ({ route, headers, body }, publicKey) => {
    const timestamp = headers.get(TIMESTAMP_HEADER) ?? '';
    const nonce = headers.get(NONCE_HEADER) ?? '';
    const signatures = (headers.get(SIGNATURE_HEADER) ?? '').split(',');
    if (publicKey === null || !/^\d{1,12}$/.test(timestamp) || !NONCE.test(nonce)) return false;
    const nowSeconds = Math.floor(now().getTime() / 1000);
    if (Math.abs(nowSeconds - Number(timestamp)) > CLOCK_DIFFERENCE_MAX_SECONDS) return false;
    const text = callSigningText({
      method: 'POST',
      route,
      siteUrl: toCanonical(siteUrl),
      timestamp: Number(timestamp),
      nonce,
      bodySha256: createHash('sha256').update(body).digest('hex'),
    });
    // Verify the signature first, so that unsigned calls cannot fill the nonce store.
    const isSigned = signatures.some((signature) => isValidSignature(signature, text, publicKey));
    return isSigned && claimNonce(nonce, nowSeconds);
  };
}

/** Checks at a key rotation that the pinned key signed the panel's new key. */
export function isSignedByKey(pinnedKey: string, newKey: string, signature: string): boolean {
  return isValidSignature(signature, keySigningText(newKey), pinnedKey);
}

export function createProof(challenge: string, siteUrl: string, siteKey: string): string {
  const text = proofText(challenge, toCanonical(siteUrl));
  return createHmac('sha256', siteKey).update(text).digest('hex');
}

function isValidSignature(signature: string, text: string, publicKey: string): boolean {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, Buffer.from(text), key, Buffer.from(signature.trim(), 'base64'));
}

function toCanonical(siteUrl: string): string {
  const site = canonicalSiteUrl(siteUrl);
  return site.ok ? site.canonical : siteUrl;
}
