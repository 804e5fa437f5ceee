import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  callSigningText,
  canonicalSiteUrl,
  NONCE_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '@steward/contract';

export type CallToSite = { siteUrl: string; path: string; body: string };

/** Signs calls with its own signing key, as a panel does. */
export type CallSigner = {
  /** The site verifies signatures with this key: 32 bytes in base64. */
  publicKey: string;
  /** Returns the headers of a new call. `secondsAgo` moves its timestamp into the past. */
  headersFor(call: CallToSite, secondsAgo?: number): Record<string, string>;
};

export function createCallSigner(): CallSigner {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = privateKey.export({ format: 'jwk' });
  return {
    publicKey: Buffer.from(x, 'base64url').toString('base64'),
    headersFor({ siteUrl, path, body }, secondsAgo = 0) {
      const site = canonicalSiteUrl(siteUrl);
      if (!site.ok) throw new Error(`Invalid site URL: ${site.reason}.`);
      const timestamp = Math.floor(Date.now() / 1000) - secondsAgo;
      const nonce = randomBytes(16).toString('hex');
      const text = callSigningText({
        method: 'POST',
        route: `/service/v1/remote/${path}`,
        siteUrl: site.canonical,
        timestamp,
        nonce,
        bodySha256: createHash('sha256').update(body).digest('hex'),
      });
      return {
        [TIMESTAMP_HEADER]: String(timestamp),
        [NONCE_HEADER]: nonce,
        [SIGNATURE_HEADER]: sign(null, Buffer.from(text), privateKey).toString('base64'),
      };
    },
  };
}
