/**
 * The panel signs a call to a site with Ed25519 over the text below. A captured call is useless on another
 * site, for another route or body, after five minutes, or a second time.
 * Every implementation, in any language, must pass the cases in `vectors/signed-calls.json`.
 */

export const TIMESTAMP_HEADER = 'X-Service-Timestamp';
export const NONCE_HEADER = 'X-Service-Nonce';
/** In base64. During the rotation of the signing key: two signatures, separated by a comma. */
export const SIGNATURE_HEADER = 'X-Service-Signature';

export const CLOCK_DIFFERENCE_MAX_SECONDS = 5 * 60;
/** Longer than the window in which a timestamp is accepted: five minutes early to five minutes late. */
export const NONCE_LIFETIME_SECONDS = 11 * 60;
/** 128 bits in hex. Not all bits need to be random: a panel may mark its own nonces with some of them. */
export const NONCE_PATTERN = '^[0-9a-f]{32}$';

export type CallToSign = {
  method: 'POST';
  /** Example: `/service/v1/remote/sync`, without `/wp-json`. */
  route: string;
  /** The canonical site URL. */
  siteUrl: string;
  /** Seconds since 1970. */
  timestamp: number;
  nonce: string;
  /** SHA-256 of the sent body, in hex. */
  bodySha256: string;
};

export function callSigningText(call: CallToSign): string {
  const { method, route, siteUrl, timestamp, nonce, bodySha256 } = call;
  return ['steward-call-v1', method, route, siteUrl, timestamp, nonce, bodySha256].join('\n');
}

/** At a rotation, the panel signs this text with its old signing key. */
export function keySigningText(publicKey: string): string {
  return ['steward-key-v1', publicKey].join('\n');
}

/** The slug of the Steward plugin in the signed text of its packages. */
export const PLUGIN_SLUG = 'steward';

/** The panel signs each version of the Steward plugin that it offers to sites. `sha256` is in hex. */
export function pluginSigningText(version: string, sha256: string): string {
  return ['steward-plugin-v1', PLUGIN_SLUG, version, sha256].join('\n');
}

/** The proof of address is the HMAC-SHA256 of this text under the site key, in hex. */
export function proofText(challenge: string, siteUrl: string): string {
  return ['steward-proof-v1', challenge, siteUrl].join('\n');
}
