import { randomBytes } from 'node:crypto';
import { type CallToSign, callSigningText } from '@steward/contract';
import { createHmacSha256 } from '../platform/secrets.ts';

/**
 * Lets every process recognise the nonces of the panel without storing them: the first half is random, the second
 * half is an HMAC over the first half and all other signed fields. With only a stolen signing key, an attacker can
 * neither create a nonce nor reuse one for another call.
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
  const createNonce = (random: string, call: CallWithoutNonce) =>
    (random + hmac(callSigningText({ ...call, nonce: random }))).slice(0, NONCE_DIGITS);

  return {
    nonceFor: (call) => createNonce(randomBytes(RANDOM_BYTES).toString('hex'), call),
    isOwnCall: (call) => createNonce(call.nonce.slice(0, RANDOM_DIGITS), call) === call.nonce,
  };
}
