import {
  BulkUpdateResponse,
  PLUGIN_ACTIONS,
  SERVICE_KEY_HEADER,
  SITE_API_PREFIX,
  SiteErrorBody,
} from '@steward/contract';
import Value from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE, PLUGINS, type Scenario, type SiteUnderTest, THEMES } from './site-under-test.ts';

type Answer = { status: number; body: Record<string, unknown> };

/** Every statement about the endpoints on a site, checked over HTTP. */
export function describeSiteSide(
  name: string,
  start: () => Promise<SiteUnderTest & { stop(): Promise<void> }>,
): void {
  describe(`a site side: ${name}`, () => {
    let site: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      site = await start();
    });
    afterAll(() => site.stop());

    const endpoint = (path: string) => `${site.url}/${SITE_API_PREFIX}/remote/${path}`;

    async function call(
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const response = await fetch(endpoint(path), {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: site.key, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    }
    const act = (action: unknown, plugin: unknown) => call('plugin-action', { action, plugin });
    const reset = (scenario: Partial<Scenario> = {}) =>
      site.reset({ updates: 'good', ...scenario });

    function expectError({ status, body }: Answer, wanted: [status: number, code: string]) {
      expect([status, body.code]).toEqual(wanted);
      expect(Value.Check(SiteErrorBody, body)).toBe(true);
      expect(JSON.stringify(body)).not.toContain(site.key);
    }

    async function expectUntouched() {
      const { plugins, active } = await site.look();
      for (const { file, version, active: isActive } of Object.values(PLUGINS)) {
        expect([file, plugins[file], active.includes(file)]).toEqual([file, version, isActive]);
      }
    }

    describe('who may call', () => {
      for (const path of ['update', 'plugin-action', 'sync']) {
        it(`401 on ${path} for a key that is missing, empty, wrong or almost right`, async () => {
          await reset();
          for (const key of [
            '',
            'wrong',
            `${site.key}x`,
            site.key.slice(1),
            site.key.toLowerCase(),
          ]) {
            expectError(await call(path, {}, { [SERVICE_KEY_HEADER]: key }), [
              401,
              'invalid_service_key',
            ]);
          }
          const bare = await fetch(endpoint(path), { method: 'POST' });
          expect([bare.status, ((await bare.json()) as Answer['body']).code]).toEqual([
            401,
            'invalid_service_key',
          ]);
          await expectUntouched();
        });

        it(`401 on ${path} for every key when none is stored`, async () => {
          await reset({ withoutKey: true });
          for (const key of ['', site.key, 'null', 'undefined']) {
            expectError(await call(path, {}, { [SERVICE_KEY_HEADER]: key }), [
              401,
              'invalid_service_key',
            ]);
          }
        });

        it(`403 on ${path} when Remote is not enabled`, async () => {
          await reset({ services: ['backup'] });
          expectError(await call(path, {}), [403, 'remote_disabled']);
          await expectUntouched();
        });
      }

      it('takes the header in any case', async () => {
        await reset();
        const answer = await call('sync', undefined, { [SERVICE_KEY_HEADER]: '' });
        expect(answer.status).toBe(401);
        const response = await fetch(endpoint('sync'), {
          method: 'POST',
          headers: { [SERVICE_KEY_HEADER.toUpperCase()]: site.key },
        });
        expect(response.status).toBe(200);
      });

      it('does nothing for other methods', async () => {
        await reset();
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const response = await fetch(endpoint('update'), {
            method,
            headers: { [SERVICE_KEY_HEADER]: site.key },
          });
          expect(response.status).toBeGreaterThanOrEqual(400);
        }
        await expectUntouched();
      });
    });

    describe('the order of the checks', () => {
      it('looks at the key before anything else', async () => {
        await reset({ services: [] });
        const wrong = { [SERVICE_KEY_HEADER]: 'wrong' };
        expectError(await call('plugin-action', '{', wrong), [401, 'invalid_service_key']);
      });

      it('looks at Remote before the parameters', async () => {
        await reset({ services: [] });
        expectError(await call('plugin-action', {}), [403, 'remote_disabled']);
      });

      it('looks at the parameters before the plugin', async () => {
        await reset();
        expectError(await act('explode', PLUGINS.management.file), [400, 'invalid_action']);
      });

      it('looks for the management plugin before others', async () => {
        await reset({ fileChangesDisabled: true });
        expectError(await act('delete', PLUGINS.management.file), [403, 'management_plugin']);
        expectError(await act('delete', 'none/none.php'), [404, 'plugin_not_found']);
      });
    });

    describe('plugin-action 400', () => {
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
          await reset();
          const answer = await call('plugin-action', body);
          expectError(answer, [400, code]);
          expect(answer.body.error).toContain(word);
          await expectUntouched();
        });
      }

      it('refuses a body that is no JSON object', async () => {
        await reset();
        for (const body of ['', '{', '[]', '"x"', 'null', '5']) {
          expect((await call('plugin-action', body)).status).toBe(400);
        }
        await expectUntouched();
      });
    });

    describe('plugin-action 403 and 404', () => {
      for (const action of PLUGIN_ACTIONS) {
        it(`never ${action}s the management plugin`, async () => {
          await reset();
          expectError(await act(action, PLUGINS.management.file), [403, 'management_plugin']);
          await expectUntouched();
        });

        it(`has nothing to ${action} where there is no such plugin`, async () => {
          await reset();
          expectError(await act(action, 'none/none.php'), [404, 'plugin_not_found']);
          expectError(await act(action, 'good/other.php'), [404, 'plugin_not_found']);
        });
      }

      it('changes no files where that is not allowed, but switches plugins', async () => {
        await reset({ fileChangesDisabled: true });
        expectError(await act('update', PLUGINS.good.file), [403, 'file_changes_disabled']);
        expectError(await act('delete', PLUGINS.good.file), [403, 'file_changes_disabled']);
        expect((await act('deactivate', PLUGINS.good.file)).status).toBe(200);
        expect((await act('activate', PLUGINS.idle.file)).status).toBe(200);
        const { active, plugins } = await site.look();
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
          await reset();
          const answer = await act(action, plugin.file);
          expect(answer).toEqual({
            status: 200,
            body: { success: true, action, plugin: plugin.file },
          });
          const { plugins, active } = await site.look();
          expect([active.includes(plugin.file), plugins[plugin.file]]).toEqual([
            after.active,
            after.version,
          ]);
        });
      }

      it('is the same the second time', async () => {
        await reset();
        for (const action of ['update', 'deactivate', 'activate'] as const) {
          expect((await act(action, PLUGINS.good.file)).status).toBe(200);
          expect((await act(action, PLUGINS.good.file)).status).toBe(200);
        }
        expect((await act('delete', PLUGINS.idle.file)).status).toBe(200);
        expectError(await act('delete', PLUGINS.idle.file), [404, 'plugin_not_found']);
      });

      it('leaves all other plugins as they were', async () => {
        await reset();
        const before = await site.look();
        await act('delete', PLUGINS.idle.file);
        await act('update', PLUGINS.good.file);
        const after = await site.look();
        const others = ({ plugins }: typeof before) =>
          Object.entries(plugins).filter(([file]) => !/^(idle|good)\//.test(file));
        expect(others(after)).toEqual(others(before));
      });

      it('reports the new inventory to the panel', async () => {
        await reset();
        await act('deactivate', PLUGINS.good.file);
        const inventory = (await site.reported()).at(-1);
        expect(inventory?.plugins).toContainEqual(
          expect.objectContaining({ plugin: PLUGINS.good.file, active: false, version: '1.0' }),
        );
      });

      it('succeeds also when the panel cannot be told', async () => {
        await reset({ panelDown: true });
        expect((await act('deactivate', PLUGINS.good.file)).status).toBe(200);
      });
    });

    describe('plugin-action 500', () => {
      it('says what it tried and why it failed, with the old version in place', async () => {
        await reset({ updates: 'one_corrupt' });
        const answer = await act('update', PLUGINS.corrupt.file);
        expectError(answer, [500, 'action_failed']);
        expect(answer.body).toMatchObject({ action: 'update', plugin: PLUGINS.corrupt.file });
        const { plugins, active } = await site.look();
        expect(plugins[PLUGINS.corrupt.file]).toBe('1.0');
        expect(active).toContain(PLUGINS.corrupt.file);
      });

      for (const action of ['deactivate', 'delete'] as const) {
        it(`does not ${action} what another active plugin requires, and names it`, async () => {
          await reset();
          const answer = await act(action, PLUGINS.parent.file);
          expectError(answer, [500, 'action_failed']);
          expect(answer.body.error).toMatch(/child/i);
          await expectUntouched();
        });
      }
    });

    describe('bulk update', () => {
      const update = async () => {
        const { status, body } = await call('update');
        expect(status).toBe(200);
        expect(Value.Check(BulkUpdateResponse, body)).toBe(true);
        return body as unknown as BulkUpdateResponse;
      };

      it('has nothing to do when nothing is pending', async () => {
        await reset({ updates: 'none' });
        expect(await update()).toEqual({
          success: true,
          results: { plugins: [], themes: [], core: null },
          errors: [],
        });
        await expectUntouched();
      });

      it('updates plugins, themes and core, and reports what is really there', async () => {
        await reset({ coreUpdate: true });
        const { success, results, errors } = await update();
        expect([success, errors]).toEqual([true, []]);
        expect(results.plugins).toHaveLength(2);
        expect(results.plugins).toEqual(
          expect.arrayContaining([
            { slug: PLUGINS.good.file, new_version: '1.1', success: true },
            { slug: PLUGINS.idle.file, new_version: '2.0', success: true },
          ]),
        );
        expect(results.themes).toEqual([
          { slug: THEMES.plain.slug, new_version: '1.2', success: true },
        ]);
        expect(results.core).toEqual({ new_version: CORE.newVersion, success: true });
        const seen = await site.look();
        expect(seen.plugins).toMatchObject({
          [PLUGINS.good.file]: '1.1',
          [PLUGINS.idle.file]: '2.0',
        });
        expect(seen.themes).toMatchObject({ plain: '1.2', spare: '2.0' });
        expect(seen.core).toBe(CORE.newVersion);
      });

      it('has null for core when core is up to date', async () => {
        await reset();
        expect((await update()).results.core).toBeNull();
      });

      it('leaves active active and inactive inactive', async () => {
        await reset();
        await update();
        const { active } = await site.look();
        expect(active).toContain(PLUGINS.good.file);
        expect(active).not.toContain(PLUGINS.idle.file);
      });

      it('leaves the management plugin out', async () => {
        await reset();
        const { results } = await update();
        expect(results.plugins.map(({ slug }) => slug)).not.toContain(PLUGINS.management.file);
        expect((await site.look()).plugins[PLUGINS.management.file]).toBe('1.0');
      });

      it('does not let one broken package stop the rest', async () => {
        await reset({ updates: 'one_corrupt' });
        const { success, results, errors } = await update();
        expect(success).toBe(false);
        const broken = results.plugins.find(({ slug }) => slug === PLUGINS.corrupt.file);
        expect(broken).toMatchObject({ success: false, new_version: '1.0' });
        expect(broken?.error).toEqual(expect.stringMatching(/\S/));
        expect(errors).toEqual([
          { type: 'plugin', slug: PLUGINS.corrupt.file, error: broken?.error },
        ]);
        const seen = await site.look();
        expect(seen.plugins).toMatchObject({
          [PLUGINS.corrupt.file]: '1.0',
          [PLUGINS.good.file]: '1.1',
          [PLUGINS.idle.file]: '2.0',
        });
        expect(seen.themes.plain).toBe('1.2');
        expect(seen.active).toContain(PLUGINS.corrupt.file);
      });

      it('has nothing left to do the second time', async () => {
        await reset();
        await update();
        expect((await update()).results).toEqual({ plugins: [], themes: [], core: null });
      });

      it('reports the new inventory to the panel', async () => {
        await reset();
        await update();
        const inventory = (await site.reported()).at(-1);
        const good = inventory?.plugins.find(({ plugin }) => plugin === PLUGINS.good.file);
        expect(good).toMatchObject({ version: '1.1', active: true });
        expect(good).not.toHaveProperty('new_version');
      });

      it('is a success with a note when only the panel could not be told', async () => {
        await reset({ panelDown: true });
        const { success, errors } = await update();
        expect(success).toBe(true);
        expect(errors).toEqual([{ type: 'system', slug: null, error: expect.any(String) }]);
      });

      it('is refused as a whole where files may not be changed', async () => {
        await reset({ fileChangesDisabled: true });
        expectError(await call('update'), [403, 'file_changes_disabled']);
        await expectUntouched();
      });
    });

    describe('one writer', () => {
      it('lets one of two bulk updates run and answers 409 to the other', async () => {
        await reset({ updateMs: 300 });
        const answers = await Promise.all([call('update'), call('update')]);
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
        const refused = answers.find(({ status }) => status === 409) as Answer;
        expectError(refused, [409, 'site_busy']);
        expect((await site.look()).plugins[PLUGINS.good.file]).toBe('1.1');
      });

      it('answers 409 to an action while an update runs, and works again afterwards', async () => {
        await reset({ updateMs: 300 });
        const [updated, acted] = await Promise.all([
          call('update'),
          new Promise((resolve) => setTimeout(resolve, 100)).then(() =>
            act('deactivate', PLUGINS.idle.file),
          ),
        ]);
        expect([updated.status, acted.status]).toEqual([200, 409]);
        expect((await act('deactivate', PLUGINS.good.file)).status).toBe(200);
      });

      it('finishes an update whose caller has gone', async () => {
        await reset({ updateMs: 300 });
        const hangUp = new AbortController();
        const gone = fetch(endpoint('update'), {
          method: 'POST',
          headers: { [SERVICE_KEY_HEADER]: site.key },
          signal: hangUp.signal,
        });
        setTimeout(() => hangUp.abort(), 100);
        await expect(gone).rejects.toThrow();
        await expect
          .poll(async () => (await call('sync')).status, { timeout: 60_000, interval: 50 })
          .toBe(200);
        const seen = await site.look();
        expect(seen.plugins[PLUGINS.good.file]).toBe('1.1');
        expect(seen.themes.plain).toBe('1.2');
      });
    });

    describe('sync', () => {
      it('reports the inventory and answers success', async () => {
        await reset();
        expect(await call('sync')).toEqual({ status: 200, body: { success: true } });
        const inventory = (await site.reported()).at(-1);
        expect(inventory?.plugins).toContainEqual(
          expect.objectContaining({
            plugin: PLUGINS.good.file,
            version: '1.0',
            new_version: '1.1',
          }),
        );
        await expectUntouched();
      });
    });
  });
}
