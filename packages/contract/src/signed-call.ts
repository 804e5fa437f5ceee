/**
 * How the panel signs a call to a site: Ed25519 over the text below. A captured call is worth nothing at
 * another site, for another route or body, after five minutes, or a second time.
 * `vectors/signed-calls.json` holds the cases that every implementation, in any language, must pass.
 */

export const TIMESTAMP_HEADER = 'X-Service-Timestamp';
export const NONCE_HEADER = 'X-Service-Nonce';
/** In base64. While a signing key is replaced, there are two signatures with a comma between them. */
export const SIGNATURE_HEADER = 'X-Service-Signature';

export const CLOCK_DIFFERENCE_MAX_SECONDS = 5 * 60;
/** Longer than a timestamp can be accepted: five minutes early and five minutes late. */
export const NONCE_LIFETIME_SECONDS = 11 * 60;
/** 128 bits in hex. They need not all be random: a panel may know its own nonces again by a part of them. */
export const NONCE_PATTERN = '^[0-9a-f]{32}$';

export type CallToSign = {
  method: 'POST';
  /** `/service/v1/remote/sync`, wherever the site has its REST API. */
  route: string;
  /** In its canonical form. */
  siteUrl: string;
  /** Seconds since 1970. */
  timestamp: number;
  nonce: string;
  /** Of the body as it is sent, in hex. */
  bodySha256: string;
};

export function textToSign(call: CallToSign): string {
  const { method, route, siteUrl, timestamp, nonce, bodySha256 } = call;
  return ['steward-call-v1', method, route, siteUrl, timestamp, nonce, bodySha256].join('\n');
}

/** A panel that replaces its signing key signs the new one with the old one. */
export function textToSignKey(publicKey: string): string {
  return ['steward-key-v1', publicKey].join('\n');
}

/** What a site answers a challenge with: the HMAC-SHA256 of this under its site key, in hex. */
export function textToProve(challenge: string, siteUrl: string): string {
  return ['steward-proof-v1', challenge, siteUrl].join('\n');
}
