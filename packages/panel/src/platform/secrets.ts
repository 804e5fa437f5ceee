import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/**
 * License keys and activation tokens at rest: a fingerprint to look them up by, and a ciphertext
 * for the few that must be read again. Both depend on the panel's one secret.
 */
export type Secrets = {
  /** In hex, to find a license by its key: worthless without the panel's secret. */
  fingerprint(licenseKey: string): string;
  encrypt(value: string, purpose: SecretPurpose): Buffer;
  decrypt(sealed: Buffer, purpose: SecretPurpose): string;
  /** 32 bytes for one use alone: whoever learns the key of one use learns nothing of the others. */
  keyFor(use: KeyUse): Buffer;
};

export type KeyUse =
  | 'session_cookies'
  | 'csrf_tokens'
  | 'audit_chain'
  | 'audit_head'
  | 'call_nonces'
  | 'known_devices';

/** Bound into the ciphertext: a sealed token put in a key's column does not open. */
export type SecretPurpose =
  | 'license_key'
  | 'site_key'
  | 'activation_token'
  | 'site_web_login'
  | 'signing_key'
  | 'totp_secret';

/** Activation tokens and the tokens of one-time links, wherever they may turn up. */
export const TOKEN_IN_TEXT = /stw[tl]_[A-Za-z0-9_-]{43}/g;

export function generateActivationToken(): string {
  return `stwt_${randomBytes(32).toString('base64url')}`;
}

export function generateLinkToken(): string {
  return `stwl_${randomBytes(32).toString('base64url')}`;
}

/** No key is needed here: nobody can guess 256 random bits from their hash. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

const FORMAT_VERSION = 1;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + IV_LENGTH + TAG_LENGTH;

export function createSecrets(secretKey: string): Secrets {
  const lookupKey = deriveKey(secretKey, 'steward/lookup/v1');
  const encryptionKey = deriveKey(secretKey, 'steward/encryption/v1');

  return {
    fingerprint: createHmacSha256(lookupKey),

    encrypt(value, purpose) {
      const iv = randomBytes(IV_LENGTH);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT_VERSION), iv, cipher.getAuthTag(), ciphertext]);
    },

    decrypt(sealed, purpose) {
      if (sealed[0] !== FORMAT_VERSION) throw new Error('A stored secret has an unknown format.');
      const decipher = createDecipheriv(
        'aes-256-gcm',
        encryptionKey,
        sealed.subarray(1, 1 + IV_LENGTH),
      )
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(1 + IV_LENGTH, HEADER_LENGTH));
      return (
        decipher.update(sealed.subarray(HEADER_LENGTH), undefined, 'utf8') + decipher.final('utf8')
      );
    },

    keyFor: (use) => deriveKey(secretKey, `steward/${use}/v1`),
  };
}

function deriveKey(secretKey: string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', info, 32));
}

const SHA256_BLOCK_LENGTH = 64;
const SHA256_LENGTH = 32;

/**
 * HMAC-SHA256 in hex, as RFC 2104 defines it, from two one-shot hashes. Node's own `createHmac`
 * builds a stream object each time, which takes three times as long as the hashing and was a tenth
 * of every check-in.
 */
export function createHmacSha256(key: Buffer): (message: string) => string {
  const padded = Buffer.alloc(SHA256_BLOCK_LENGTH);
  key.copy(padded);
  const inner = padded.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([padded.map((byte) => byte ^ 0x5c), Buffer.alloc(SHA256_LENGTH)]);
  return (message) => {
    const digest = hash('sha256', Buffer.concat([inner, Buffer.from(message)]), 'hex');
    outer.write(digest, SHA256_BLOCK_LENGTH, 'hex');
    return hash('sha256', outer, 'hex');
  };
}
