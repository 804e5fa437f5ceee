import {
  NONCE_HEADER,
  SERVICE_KEY_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '@steward/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CallSigner, createCallSigner } from '../call-signer.ts';
import type { SiteCaller } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

/** Tests that a site with the panel's public key accepts only calls that the panel signed, each once. */
export function describeSignatures(caller: SiteCaller, signer: CallSigner): void {
  const DELETE = JSON.stringify({ action: 'delete', plugin: PLUGINS.idle.file });
  const headersFor = (
    change: { siteUrl?: string; path?: string; body?: string } = {},
    secondsAgo = 0,
  ) => {
    const call = { siteUrl: caller.site.url, path: 'plugin-action', body: DELETE, ...change };
    return signer.headersFor(call, secondsAgo);
  };
  const deletePlugin = (headers: Record<string, string>) =>
    caller.call('plugin-action', DELETE, headers);
  const INVALID_SIGNATURE: [number, string] = [401, 'invalid_signature'];

  const noSignature = { [SIGNATURE_HEADER]: '' };

  describe('calls that the panel did not sign', () => {
    // One reset for all cases, because none of them may change the site and a reset of WordPress is slow.
    beforeAll(() => caller.reset());

    for (const [description, headers] of [
      ['without a signature', () => noSignature],
      ['signed by another panel', () => otherSigner().headersFor(toSite())],
      ['signed for another site', () => headersFor({ siteUrl: 'https://other.example.com' })],
      ['signed for another endpoint', () => headersFor({ path: 'sync' })],
      ['signed for another body', () => headersFor({ body: '{}' })],
      ['with another nonce', () => ({ ...headersFor(), [NONCE_HEADER]: 'f'.repeat(32) })],
      ['with another time', () => delay(headersFor())],
      ['signed six minutes ago', () => headersFor({}, 360)],
      ['signed six minutes in the future', () => headersFor({}, -360)],
    ] as [string, () => Record<string, string>][]) {
      it(`401 for a call ${description}`, async () => {
        caller.expectError(await deletePlugin(headers()), INVALID_SIGNATURE);
        await caller.expectUnchanged();
      });
    }
  });

  describe('signed calls', () => {
    it('401 for a replayed call', async () => {
      await caller.reset();
      const body = JSON.stringify({ action: 'deactivate', plugin: PLUGINS.good.file });
      const headers = headersFor({ body });
      expect((await caller.call('plugin-action', body, headers)).status).toBe(200);
      caller.expectError(await caller.call('plugin-action', body, headers), INVALID_SIGNATURE);
    });

    it('accepts one of several concurrent replays', async () => {
      await caller.reset();
      const body = JSON.stringify({ action: 'deactivate', plugin: PLUGINS.good.file });
      const headers = headersFor({ body });
      const responses = await Promise.all(
        Array.from({ length: 4 }, () => caller.call('plugin-action', body, headers)),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, 401, 401, 401]);
    });

    it('checks the key, then the signature, then the Remote service', async () => {
      await caller.reset({ services: [] });
      const wrongKey = { ...noSignature, [SERVICE_KEY_HEADER]: 'wrong' };
      caller.expectError(await deletePlugin(wrongKey), [401, 'invalid_service_key']);
      caller.expectError(await deletePlugin(noSignature), INVALID_SIGNATURE);
      caller.expectError(await deletePlugin(headersFor()), [403, 'remote_disabled']);
    });
  });

  const toSite = () => ({ siteUrl: caller.site.url, path: 'plugin-action', body: DELETE });
  const otherSigner = () => createCallSigner();
}

/** Moves the time of a recorded call without signing it again. */
function delay(headers: Record<string, string>): Record<string, string> {
  return { ...headers, [TIMESTAMP_HEADER]: String(Number(headers[TIMESTAMP_HEADER]) + 1) };
}
