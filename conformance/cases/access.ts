import { SERVICE_KEY_HEADER } from '@steward/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SiteCaller, SiteResponse } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

const PATHS = ['update', 'plugin-action', 'sync'];

/** Tests the authentication of callers and the order of the checks. */
export function describeAccess(caller: SiteCaller): void {
  // One reset for the cases of a group, because none of them may change the site and a reset of WordPress is slow.
  describe('access with a wrong key', () => {
    beforeAll(() => caller.reset());

    for (const path of PATHS) {
      it(`401 on ${path} for a missing, empty, wrong or almost correct key`, async () => {
        for (const key of [
          '',
          'wrong',
          `${caller.site.key}x`,
          caller.site.key.slice(1),
          caller.site.key.toLowerCase(),
        ]) {
          caller.expectError(await caller.call(path, {}, { [SERVICE_KEY_HEADER]: key }), [
            401,
            'invalid_service_key',
          ]);
        }
        const bare = await fetch(caller.endpoint(path), { method: 'POST' });
        expect([bare.status, ((await bare.json()) as SiteResponse['body']).code]).toEqual([
          401,
          'invalid_service_key',
        ]);
        await caller.expectUnchanged();
      });
    }
  });

  describe('access to a site without a key', () => {
    beforeAll(() => caller.reset({ withoutKey: true }));

    for (const path of PATHS) {
      it(`401 on ${path} for every key when the site stores none`, async () => {
        for (const key of ['', caller.site.key, 'null', 'undefined']) {
          caller.expectError(await caller.call(path, {}, { [SERVICE_KEY_HEADER]: key }), [
            401,
            'invalid_service_key',
          ]);
        }
      });
    }
  });

  describe('access without Remote', () => {
    beforeAll(() => caller.reset({ services: ['backup'] }));

    for (const path of PATHS) {
      it(`403 on ${path} when Remote is not enabled`, async () => {
        caller.expectError(await caller.call(path, {}), [403, 'remote_disabled']);
        await caller.expectUnchanged();
      });
    }
  });

  describe('access', () => {
    it('accepts the key header in upper case', async () => {
      await caller.reset();
      const withoutKey = await caller.call('sync', undefined, { [SERVICE_KEY_HEADER]: '' });
      expect(withoutKey.status).toBe(401);
      const response = await fetch(caller.endpoint('sync'), {
        method: 'POST',
        headers: {
          [SERVICE_KEY_HEADER.toUpperCase()]: caller.site.key,
          ...caller.signatureFor('sync'),
        },
      });
      expect(response.status).toBe(200);
    });

    it('404 at unknown paths', async () => {
      await caller.reset();
      for (const path of ['../constructor', '../toString', 'nothing', '']) {
        const { status } = await caller.call(path, {});
        expect([path, status]).toEqual([path, 404]);
      }
    });

    it('refuses methods other than POST', async () => {
      await caller.reset();
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const response = await fetch(caller.endpoint('update'), {
          method,
          headers: { [SERVICE_KEY_HEADER]: caller.site.key },
        });
        expect(response.status).toBeGreaterThanOrEqual(400);
      }
      await caller.expectUnchanged();
    });
  });

  describe('order of the checks', () => {
    it('checks the key first', async () => {
      await caller.reset({ services: [] });
      const wrong = { [SERVICE_KEY_HEADER]: 'wrong' };
      caller.expectError(await caller.call('plugin-action', '{', wrong), [
        401,
        'invalid_service_key',
      ]);
    });

    it('checks the Remote service before the parameters', async () => {
      await caller.reset({ services: [] });
      caller.expectError(await caller.call('plugin-action', {}), [403, 'remote_disabled']);
    });

    it('checks the parameters before the plugin', async () => {
      await caller.reset();
      caller.expectError(await caller.act('explode', PLUGINS.management.file), [
        400,
        'invalid_action',
      ]);
    });

    it('checks for the management plugin before file changes', async () => {
      await caller.reset({ fileChangesDisabled: true });
      caller.expectError(await caller.act('delete', PLUGINS.management.file), [
        403,
        'management_plugin',
      ]);
      caller.expectError(await caller.act('delete', 'none/none.php'), [404, 'plugin_not_found']);
    });
  });
}
