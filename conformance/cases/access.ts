import { SERVICE_KEY_HEADER } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import type { Answer, SiteCaller } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

/** Who may call, and in which order that is found out. */
export function describeAccess(caller: SiteCaller): void {
  describe('who may call', () => {
    for (const path of ['update', 'plugin-action', 'sync']) {
      it(`401 on ${path} for a key that is missing, empty, wrong or almost right`, async () => {
        await caller.reset();
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
        expect([bare.status, ((await bare.json()) as Answer['body']).code]).toEqual([
          401,
          'invalid_service_key',
        ]);
        await caller.expectUntouched();
      });

      it(`401 on ${path} for every key when none is stored`, async () => {
        await caller.reset({ withoutKey: true });
        for (const key of ['', caller.site.key, 'null', 'undefined']) {
          caller.expectError(await caller.call(path, {}, { [SERVICE_KEY_HEADER]: key }), [
            401,
            'invalid_service_key',
          ]);
        }
      });

      it(`403 on ${path} when Remote is not enabled`, async () => {
        await caller.reset({ services: ['backup'] });
        caller.expectError(await caller.call(path, {}), [403, 'remote_disabled']);
        await caller.expectUntouched();
      });
    }

    it('takes the header in any case', async () => {
      await caller.reset();
      const answer = await caller.call('sync', undefined, { [SERVICE_KEY_HEADER]: '' });
      expect(answer.status).toBe(401);
      const response = await fetch(caller.endpoint('sync'), {
        method: 'POST',
        headers: {
          [SERVICE_KEY_HEADER.toUpperCase()]: caller.site.key,
          ...caller.signatureFor('sync'),
        },
      });
      expect(response.status).toBe(200);
    });

    it('has nothing at other paths', async () => {
      await caller.reset();
      for (const path of ['../constructor', '../toString', 'nothing', '']) {
        const { status } = await caller.call(path, {});
        expect([path, status]).toEqual([path, 404]);
      }
    });

    it('does nothing for other methods', async () => {
      await caller.reset();
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const response = await fetch(caller.endpoint('update'), {
          method,
          headers: { [SERVICE_KEY_HEADER]: caller.site.key },
        });
        expect(response.status).toBeGreaterThanOrEqual(400);
      }
      await caller.expectUntouched();
    });
  });

  describe('the order of the checks', () => {
    it('looks at the key before anything else', async () => {
      await caller.reset({ services: [] });
      const wrong = { [SERVICE_KEY_HEADER]: 'wrong' };
      caller.expectError(await caller.call('plugin-action', '{', wrong), [
        401,
        'invalid_service_key',
      ]);
    });

    it('looks at Remote before the parameters', async () => {
      await caller.reset({ services: [] });
      caller.expectError(await caller.call('plugin-action', {}), [403, 'remote_disabled']);
    });

    it('looks at the parameters before the plugin', async () => {
      await caller.reset();
      caller.expectError(await caller.act('explode', PLUGINS.management.file), [
        400,
        'invalid_action',
      ]);
    });

    it('looks for the management plugin before others', async () => {
      await caller.reset({ fileChangesDisabled: true });
      caller.expectError(await caller.act('delete', PLUGINS.management.file), [
        403,
        'management_plugin',
      ]);
      caller.expectError(await caller.act('delete', 'none/none.php'), [404, 'plugin_not_found']);
    });
  });
}
