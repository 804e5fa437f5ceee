import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
} from 'node:crypto';

/**
 * Protects stored secrets: a fingerprint finds a secret, such as a license key, without storing it, and encryption is for
 * secrets that the panel must read again. Both depend on the secret of the panel.
 */
export type Secrets = {
  /** Returns a keyed hash in hex. An attacker without the secret of the panel cannot guess the value from it. */
  fingerprint(value: string): string;
  encrypt(value: string, purpose: SecretPurpose): Buffer;
  decrypt(encrypted: Buffer, purpose: SecretPurpose): string;
  /** Derives a separate 32-byte key for each purpose. A leaked key does not reveal the other keys. */
  keyFor(purpose: KeyPurpose): Buffer;
};

export type KeyPurpose =
  | 'session_cookies'
  | 'csrf_tokens'
  | 'audit_chain'
  | 'audit_head'
  | 'call_nonces'
  | 'known_devices'
  | 'backup';

/** Additional authenticated data (AAD) of AES-GCM: a value copied into another column cannot be decrypted. */
export type SecretPurpose =
  | 'license_key'
  | 'site_key'
  | 'activation_token'
  | 'site_web_login'
  | 'signing_key'
  | 'totp_secret'
  | 'notification_url'
  | 'notification_secret';

/** Matches activation tokens, access tokens, tokens of one-time links and signing secrets of webhooks in any text. */
export const TOKEN_IN_TEXT = /stw(?:[tl]|_pat)_[A-Za-z0-9_-]{43}|whsec_[A-Za-z0-9+/]{24,}=*/g;

export function generateActivationToken(): string {
  return `stwt_${randomBytes(32).toString('base64url')}`;
}

export function generateLinkToken(): string {
  return `stwl_${randomBytes(32).toString('base64url')}`;
}

export function generateAccessToken(): string {
  return `stw_pat_${randomBytes(32).toString('base64url')}`;
}

/** A hash without salt is safe, because a token has 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

const FORMAT_VERSION = 1;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + IV_LENGTH + TAG_LENGTH;

export function createSecrets(secretKey: string): Secrets {
  const lookupKey = deriveKey(secretKey, 'steward/lookup/v1');
  // A key object: with a buffer, Node.js takes six times as long for each value.
  const encryptionKey = createSecretKey(deriveKey(secretKey, 'steward/encryption/v1'));

  return {
    fingerprint: createHmacSha256(lookupKey),

    encrypt(value, purpose) {
      const iv = randomBytes(IV_LENGTH);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT_VERSION), iv, cipher.getAuthTag(), ciphertext]);
    },

    decrypt(encrypted, purpose) {
      if (encrypted[0] !== FORMAT_VERSION)
        throw new Error('A stored secret has an unknown format.');
      const decipher = createDecipheriv(
        'aes-256-gcm',
        encryptionKey,
        encrypted.subarray(1, 1 + IV_LENGTH),
      )
        .setAAD(Buffer.from(purpose))
        .setAuthTag(encrypted.subarray(1 + IV_LENGTH, HEADER_LENGTH));
      return (
        decipher.update(encrypted.subarray(HEADER_LENGTH), undefined, 'utf8') +
        decipher.final('utf8')
      );
    },

    keyFor: (purpose) => deriveKey(secretKey, `steward/${purpose}/v1`),
  };
}

function deriveKey(secretKey: string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', info, 32));
}

const SHA256_BLOCK_LENGTH = 64;
const SHA256_LENGTH = 32;

/**
 * HMAC-SHA256 in hex (RFC 2104) from two one-shot hashes. Node's `createHmac` builds a stream object per
 * call, which takes three times as long as the hashing and took 10 % of the CPU time of a check-in.
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
