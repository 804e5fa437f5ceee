import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * License keys and activation tokens at rest: a fingerprint to look them up by, and a ciphertext
 * for the few that must be read again. Both depend on the panel's one secret.
 */
export type Secrets = {
  fingerprint(value: string): Buffer;
  encrypt(value: string, purpose: SecretPurpose): Buffer;
  decrypt(sealed: Buffer, purpose: SecretPurpose): string;
};

/** Bound into the ciphertext: a sealed token put in a key's column does not open. */
export type SecretPurpose = 'license_key' | 'activation_token';

export const ACTIVATION_TOKEN_IN_TEXT = /stwt_[A-Za-z0-9_-]{43}/g;

export function generateActivationToken(): string {
  return `stwt_${randomBytes(32).toString('base64url')}`;
}

const FORMAT_VERSION = 1;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + IV_LENGTH + TAG_LENGTH;

export function createSecrets(secretKey: string): Secrets {
  const lookupKey = deriveKey(secretKey, 'steward/lookup/v1');
  const encryptionKey = deriveKey(secretKey, 'steward/encryption/v1');

  return {
    fingerprint: (value) => createHmac('sha256', lookupKey).update(value).digest(),

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
  };
}

function deriveKey(secretKey: string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', info, 32));
}
