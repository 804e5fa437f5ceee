import { randomBytes } from 'node:crypto';
import { type CallToSign, textToSign } from '@steward/contract';
import { createHmacSha256 } from '../platform/secrets.ts';

/**
 * The panel knows the nonces of its own calls again, in any of its processes and without keeping them: half of a
 * nonce is random, and the other half is an HMAC over it and over all else that is signed. Put on another call, as
 * by a thief of the signing key, a nonce of the panel is not one of its own any more.
 */
export type CallNonces = {
  nonceFor(call: CallWithoutNonce): string;
  isOwnCall(call: CallToSign): boolean;
};

export type CallWithoutNonce = Omit<CallToSign, 'nonce'>;

const RANDOM_BYTES = 8;
const RANDOM_DIGITS = 2 * RANDOM_BYTES;
const NONCE_DIGITS = 32;

export function createCallNonces(key: Buffer): CallNonces {
  const hmac = createHmacSha256(key);
  const withMark = (random: string, call: CallWithoutNonce) =>
    (random + hmac(textToSign({ ...call, nonce: random }))).slice(0, NONCE_DIGITS);

  return {
    nonceFor: (call) => withMark(randomBytes(RANDOM_BYTES).toString('hex'), call),
    isOwnCall: (call) => withMark(call.nonce.slice(0, RANDOM_DIGITS), call) === call.nonce,
  };
}
