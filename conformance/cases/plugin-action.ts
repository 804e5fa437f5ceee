import { PLUGIN_ACTIONS } from '@steward/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SiteCaller } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

/** Tests every plugin action in every state, and every refusal. */
export function describePluginAction(caller: SiteCaller): void {
  describe('plugin-action 400 and 413', () => {
    // One reset for all cases, because none of them may change the site and a reset of WordPress is slow.
    beforeAll(() => caller.reset());

    for (const [body, code, word] of [
      [{}, 'missing_parameter', 'action'],
      [{ action: 'update' }, 'missing_parameter', 'plugin'],
      [{ plugin: PLUGINS.good.file }, 'missing_parameter', 'action'],
      [{ action: '', plugin: PLUGINS.good.file }, 'missing_parameter', 'action'],
      [{ action: 'update', plugin: '' }, 'missing_parameter', 'plugin'],
      [{ action: null, plugin: null }, 'missing_parameter', 'action'],
      [{ action: 'Update', plugin: PLUGINS.good.file }, 'invalid_action', 'deactivate'],
      [{ action: 'constructor', plugin: PLUGINS.good.file }, 'invalid_action', 'deactivate'],
      [{ action: ['update'], plugin: PLUGINS.good.file }, 'invalid_action', 'deactivate'],
      [{ action: 'update', plugin: 7 }, 'invalid_plugin', 'plugin'],
      [{ action: 'delete', plugin: '../good/good.php' }, 'invalid_plugin', 'plugin'],
      [{ action: 'delete', plugin: 'good/../good/good.php' }, 'invalid_plugin', 'plugin'],
      [{ action: 'delete', plugin: '/good/good.php' }, 'invalid_plugin', 'plugin'],
      [{ action: 'delete', plugin: 'good\\good.php' }, 'invalid_plugin', 'plugin'],
      [{ action: 'delete', plugin: 'good/good.php\0' }, 'invalid_plugin', 'plugin'],
      [{ action: 'delete', plugin: 'good' }, 'invalid_plugin', 'plugin'],
      [{ action: 'delete', plugin: 'good/' }, 'invalid_plugin', 'plugin'],
    ] as const) {
      it(`refuses ${JSON.stringify(body)}`, async () => {
        const response = await caller.call('plugin-action', body);
        caller.expectError(response, [400, code]);
        expect(response.body.error).toContain(word);
        await caller.expectUnchanged();
      });
    }

    it('refuses a body that is too large', async () => {
      const body = { action: 'delete', plugin: PLUGINS.good.file, padding: 'ü'.repeat(40_000) };
      caller.expectError(await caller.call('plugin-action', body), [413, 'request_too_large']);
      await caller.expectUnchanged();
    });

    it('refuses a body that is not a JSON object', async () => {
      for (const body of ['', '{', '[]', '"x"', 'null', '5']) {
        expect((await caller.call('plugin-action', body)).status).toBe(400);
      }
      await caller.expectUnchanged();
    });
  });

  describe('plugin-action 403 and 404', () => {
    beforeAll(() => caller.reset());

    for (const action of PLUGIN_ACTIONS) {
      it(`refuses to ${action} the management plugin`, async () => {
        caller.expectError(await caller.act(action, PLUGINS.management.file), [
          403,
          'management_plugin',
        ]);
        await caller.expectUnchanged();
      });

      it(`404 on ${action} of an unknown plugin`, async () => {
        caller.expectError(await caller.act(action, 'none/none.php'), [404, 'plugin_not_found']);
        caller.expectError(await caller.act(action, 'good/other.php'), [404, 'plugin_not_found']);
        await caller.expectUnchanged();
      });
    }

    it('protects every file in the management plugin folder, in upper or lower case', async () => {
      for (const file of ['steward/other.php', 'Steward/steward.php', 'STEWARD/Steward.php']) {
        caller.expectError(await caller.act('delete', file), [403, 'management_plugin']);
      }
      await caller.expectUnchanged();
    });

    it('activates and deactivates, but changes no files, where file changes are disabled', async () => {
      await caller.reset({ fileChangesDisabled: true });
      caller.expectError(await caller.act('update', PLUGINS.good.file), [
        403,
        'file_changes_disabled',
      ]);
      caller.expectError(await caller.act('delete', PLUGINS.good.file), [
        403,
        'file_changes_disabled',
      ]);
      expect((await caller.act('deactivate', PLUGINS.good.file)).status).toBe(200);
      expect((await caller.act('activate', PLUGINS.idle.file)).status).toBe(200);
      const { active, plugins } = await caller.site.readState();
      expect(active).toContain(PLUGINS.idle.file);
      expect(active).not.toContain(PLUGINS.good.file);
      expect(plugins[PLUGINS.good.file]).toBe('1.0');
    });
  });

  describe('plugin-action 200, every action in every state', () => {
    const cases = [
      ['activate', PLUGINS.good, { active: true, version: '1.0' }],
      ['activate', PLUGINS.idle, { active: true, version: '1.0' }],
      ['deactivate', PLUGINS.good, { active: false, version: '1.0' }],
      ['deactivate', PLUGINS.idle, { active: false, version: '1.0' }],
      ['update', PLUGINS.good, { active: true, version: '1.1' }],
      ['update', PLUGINS.idle, { active: false, version: '2.0' }],
      ['update', PLUGINS.parent, { active: true, version: '3.0' }],
      ['delete', PLUGINS.good, { active: false, version: undefined }],
      ['delete', PLUGINS.idle, { active: false, version: undefined }],
      ['delete', PLUGINS.single, { active: false, version: undefined }],
      ['activate', PLUGINS.single, { active: true, version: '0.9' }],
    ] as const;
    for (const [action, plugin, after] of cases) {
      it(`${action} of ${plugin.active ? 'active' : 'inactive'} ${plugin.file}`, async () => {
        await caller.reset();
        const response = await caller.act(action, plugin.file);
        expect(response).toEqual({
          status: 200,
          body: { success: true, action, plugin: plugin.file },
        });
        const { plugins, active } = await caller.site.readState();
        expect([active.includes(plugin.file), plugins[plugin.file]]).toEqual([
          after.active,
          after.version,
        ]);
      });
    }

    it('is idempotent, except delete', async () => {
      await caller.reset();
      for (const action of ['update', 'deactivate', 'activate'] as const) {
        expect((await caller.act(action, PLUGINS.good.file)).status).toBe(200);
        expect((await caller.act(action, PLUGINS.good.file)).status).toBe(200);
      }
      expect((await caller.act('delete', PLUGINS.idle.file)).status).toBe(200);
      caller.expectError(await caller.act('delete', PLUGINS.idle.file), [404, 'plugin_not_found']);
    });

    it('leaves all other plugins unchanged', async () => {
      await caller.reset();
      const before = await caller.site.readState();
      await caller.act('delete', PLUGINS.idle.file);
      await caller.act('update', PLUGINS.good.file);
      const after = await caller.site.readState();
      const listOthers = ({ plugins }: typeof before) =>
        Object.entries(plugins).filter(([file]) => !/^(idle|good)\//.test(file));
      expect(listOthers(after)).toEqual(listOthers(before));
    });

    it('reports the new inventory to the panel', async () => {
      await caller.reset();
      await caller.act('deactivate', PLUGINS.good.file);
      const inventory = (await caller.site.readReports()).at(-1);
      expect(inventory?.plugins).toContainEqual(
        expect.objectContaining({ plugin: PLUGINS.good.file, active: false, version: '1.0' }),
      );
    });

    it('succeeds when the report to the panel fails', async () => {
      await caller.reset({ panelDown: true });
      expect((await caller.act('deactivate', PLUGINS.good.file)).status).toBe(200);
    });
  });

  describe('plugin-action 500', () => {
    it('returns the action and the error, and keeps the old version', async () => {
      await caller.reset({ updates: 'one_corrupt' });
      const response = await caller.act('update', PLUGINS.corrupt.file);
      caller.expectError(response, [500, 'action_failed']);
      expect(response.body).toMatchObject({ action: 'update', plugin: PLUGINS.corrupt.file });
      const { plugins, active } = await caller.site.readState();
      expect(plugins[PLUGINS.corrupt.file]).toBe('1.0');
      expect(active).toContain(PLUGINS.corrupt.file);
      // The site reports after a failure too.
      const inventory = (await caller.site.readReports()).at(-1);
      expect(inventory?.plugins).toContainEqual(
        expect.objectContaining({
          plugin: PLUGINS.corrupt.file,
          version: '1.0',
          new_version: '1.1',
        }),
      );
    });

    for (const action of ['deactivate', 'delete'] as const) {
      it(`refuses to ${action} a plugin that another active plugin requires, and names that plugin`, async () => {
        await caller.reset();
        const response = await caller.act(action, PLUGINS.parent.file);
        caller.expectError(response, [500, 'action_failed']);
        expect(response.body.error).toMatch(/child/i);
        await caller.expectUnchanged();
      });
    }
  });
}
