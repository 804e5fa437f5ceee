import { createHash, createPrivateKey, sign } from 'node:crypto';
import {
  callSigningText,
  NONCE_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '@steward/contract';
import vectors from '@steward/contract/vectors/signed-calls.json' with { type: 'json' };
import { createMemoryOptions } from '@steward/testkit/sites/memory-platform.ts';
import { describe, expect, it } from 'vitest';
import { createProof, createSignatureCheck, isSignedByKey } from './call-signature.ts';

const { public_key: publicKey, private_key, calls, rotation, proof } = vectors;
const inBase64Url = (text: string) => Buffer.from(text, 'base64').toString('base64url');
const privateKey = createPrivateKey({
  format: 'jwk',
  key: { kty: 'OKP', crv: 'Ed25519', x: inBase64Url(publicKey), d: inBase64Url(private_key) },
});

function receive(call: (typeof calls)[number], change: Record<string, string> = {}) {
  const headers = new Headers({
    [TIMESTAMP_HEADER]: String(call.timestamp),
    [NONCE_HEADER]: call.nonce,
    [SIGNATURE_HEADER]: call.signature,
    ...change,
  });
  const { route, body } = call;
  const siteUrl = `https://${call.site_url}`;
  let now = new Date(call.timestamp * 1000);
  const options = createMemoryOptions();
  const check = createSignatureCheck({ siteUrl, options, now: () => now });
  return {
    check: (key = publicKey) => check({ route, headers, body }, key),
    setClock: (seconds: number) => {
      now = new Date((call.timestamp + seconds) * 1000);
    },
  };
}

describe('signed call', () => {
  for (const call of calls) {
    it(`matches the test vector for ${call.site_url} and is accepted once`, async () => {
      const { method, route, site_url: siteUrl, timestamp, nonce, body } = call;
      const bodySha256 = createHash('sha256').update(body).digest('hex');
      const text = callSigningText({
        method: method as 'POST',
        route,
        siteUrl,
        timestamp,
        nonce,
        bodySha256,
      });
      expect(text).toBe(call.text);
      expect(sign(null, Buffer.from(text), privateKey).toString('base64')).toBe(call.signature);
      const { check } = receive(call);
      expect(await check()).toBe(true);
      expect(await check()).toBe(false);
    });
  }

  const [call] = calls;
  if (!call) throw new Error('There is no test vector.');

  it('is accepted when one of two signatures is valid, as during key rotation', async () => {
    const other = Buffer.alloc(64, 1).toString('base64');
    const { check } = receive(call, { [SIGNATURE_HEADER]: `${other},${call.signature}` });
    expect(await check()).toBe(true);
  });

  for (const [difference, isAccepted] of [
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
  ] as const) {
    it(`is ${isAccepted ? 'accepted' : 'refused'} with clocks ${difference} s apart`, async () => {
      const { check, setClock } = receive(call);
      setClock(difference);
      expect(await check()).toBe(isAccepted);
    });
  }

  it('is accepted once when sent many times concurrently', async () => {
    const { check } = receive(call);
    const results = await Promise.all(Array.from({ length: 20 }, () => check()));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  for (const [name, value] of [
    [SIGNATURE_HEADER, ''],
    [SIGNATURE_HEADER, 'not base64!'],
    [SIGNATURE_HEADER, Buffer.alloc(64).toString('base64')],
    [NONCE_HEADER, 'F'.repeat(32)],
    [TIMESTAMP_HEADER, '1e9'],
  ] as const) {
    it(`is refused with ${name} ${JSON.stringify(value)}`, async () => {
      expect(await receive(call, { [name]: value }).check()).toBe(false);
    });
  }
});

it('accepts a new panel key only if the old key signed it', () => {
  const { new_public_key: newKey, signature } = rotation;
  expect(isSignedByKey(publicKey, newKey, signature)).toBe(true);
  expect(isSignedByKey(newKey, publicKey, signature)).toBe(false);
});

it('creates the proof of the test vector', () => {
  expect(createProof(proof.challenge, `https://${proof.site_url}`, proof.site_key)).toBe(
    proof.proof,
  );
});
