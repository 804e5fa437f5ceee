import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** On the thread pool: a run makes thousands of signatures, and the event loop has other work. */
const signAsync = promisify<null, Buffer, KeyObject, Buffer>(sign);

/** Raw keys of 32 bytes in base64, as PHP's sodium functions take them. */
export type KeyPair = { publicKey: string; privateKey: string };

export function generateKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x, d } = privateKey.export({ format: 'jwk' });
  return { publicKey: inBase64(x), privateKey: inBase64(d) };
}

/** Signs texts; the signatures are in base64. */
export function createSigner({
  publicKey,
  privateKey,
}: KeyPair): (text: string) => Promise<string> {
  const key = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: inBase64Url(publicKey), d: inBase64Url(privateKey) },
  });
  return async (text) => (await signAsync(null, Buffer.from(text), key)).toString('base64');
}

const inBase64 = (text = '') => Buffer.from(text, 'base64url').toString('base64');
const inBase64Url = (text: string) => Buffer.from(text, 'base64').toString('base64url');
