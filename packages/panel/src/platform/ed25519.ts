import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

/** Raw 32-byte keys in base64, the format of PHP's sodium functions. */
export type KeyPair = { publicKey: string; privateKey: string };

export function generateKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x, d } = privateKey.export({ format: 'jwk' });
  return { publicKey: toBase64(x), privateKey: toBase64(d) };
}

/**
 * Returns a function that signs a text and returns the signature in base64. On the thread pool, a signature would take 50 %
 * more CPU time.
 */
export function createSigner({ publicKey, privateKey }: KeyPair): (text: string) => string {
  const key = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey), d: toBase64Url(privateKey) },
  });
  return (text) => sign(null, Buffer.from(text), key).toString('base64');
}

const toBase64 = (text = '') => Buffer.from(text, 'base64url').toString('base64');
const toBase64Url = (text: string) => Buffer.from(text, 'base64').toString('base64url');
