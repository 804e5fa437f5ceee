import { randomBytes } from 'node:crypto';
import { generateSiteKey } from '@steward/contract';
import { generateActivationToken, hashToken, type Secrets } from '../../platform/secrets.ts';

/** A site gets a site key only if it also verifies signed calls. */
export function supportsSiteKey(capabilities: readonly string[] = []): boolean {
  return capabilities.includes('site_key') && capabilities.includes('signed_calls');
}

export function createToken(secrets: Secrets) {
  const token = generateActivationToken();
  return {
    token,
    columns: {
      token_hash: Buffer.from(hashToken(token), 'hex'),
      token_encrypted: secrets.encrypt(token, 'activation_token'),
    },
  };
}

export function createSiteKey(secrets: Secrets) {
  const siteKey = generateSiteKey(randomBytes);
  return {
    siteKey,
    columns: {
      site_key_hash: Buffer.from(secrets.fingerprint(siteKey), 'hex'),
      site_key_encrypted: secrets.encrypt(siteKey, 'site_key'),
    },
  };
}
