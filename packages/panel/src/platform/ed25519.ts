import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** Signs on the thread pool: thousands of signatures per run would block the event loop. */
const signAsync = promisify<null, Buffer, KeyObject, Buffer>(sign);

/** Raw 32-byte keys in base64, the format of PHP's sodium functions. */
export type KeyPair = { publicKey: string; privateKey: string };

export function generateKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x, d } = privateKey.export({ format: 'jwk' });
  return { publicKey: toBase64(x), privateKey: toBase64(d) };
}

/** Returns a function that signs a text and returns the signature in base64. */
export function createSigner({
  publicKey,
  privateKey,
}: KeyPair): (text: string) => Promise<string> {
  const key = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey), d: toBase64Url(privateKey) },
  });
  return async (text) => (await signAsync(null, Buffer.from(text), key)).toString('base64');
}

const toBase64 = (text = '') => Buffer.from(text, 'base64url').toString('base64');
const toBase64Url = (text: string) => Buffer.from(text, 'base64').toString('base64url');
