import { describe, expect, it } from 'vitest';
import { useRunScene } from './support/run-scene.ts';
import { failOnce, SHOP } from './support/site-fleet.ts';

const scene = useRunScene({}, { timeGoesOn: true });

describe('POST /remote/plugin-action', () => {
  it('does all four actions, and records each', async () => {
    const site = await scene.newSite();
    for (const action of ['update', 'deactivate', 'activate', 'delete']) {
      const ask = { site_id: site.id, action, plugin: SHOP };
      const { status, body } = await scene.owner.post('/remote/plugin-action', ask);
      expect([status, body]).toEqual([200, { success: true, ...ask }]);
    }
    expect(site.state.plugins[SHOP]).toBeUndefined();
    expect(
      (await scene.audit(site.id, 'remote_plugin')).map(({ action, entity_id }) => [
        action,
        entity_id,
      ]),
    ).toEqual(['update', 'deactivate', 'activate', 'delete'].map((action) => [action, SHOP]));
  });

  it('says why not: every row of what can go wrong', async () => {
    const site = await scene.newSite();
    const ask = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    const answer = async (change: object = {}) => {
      const { status, body } = await scene.owner.post('/remote/plugin-action', {
        ...ask,
        ...change,
      });
      return [status, body.code];
    };
    expect(await answer({ plugin: 'none/none.php' })).toEqual([404, 'plugin_not_found']);
    expect(await answer({ site_id: 999_999_999 })).toEqual([404, 'site_not_found']);
    site.state.plugins[SHOP] = {
      version: '1.0',
      active: false,
      activationFails: 'It needs PHP 9.',
    };
    expect(await answer({ action: 'activate' })).toEqual([500, 'action_failed']);
    const { body } = await scene.owner.post('/remote/plugin-action', {
      ...ask,
      action: 'activate',
    });
    const attempt = await scene.owner.get(`/panel/runs/${body.run_id}`);
    expect(attempt.body.results).toMatchObject([{ status: 'failed', error: 'It needs PHP 9.' }]);
    site.state.fileChangesDisabled = true;
    expect(await answer({ action: 'delete' })).toEqual([403, 'file_changes_disabled']);
    await site.options.write({ service_enabled_services: [] });
    expect(await answer()).toEqual([403, 'remote_disabled']);
    await site.options.write({
      service_enabled_services: ['remote'],
      service_license_key: 'other',
    });
    expect(await answer()).toEqual([502, 'site_rejected_key']);
    await site.options.write({ service_license_key: scene.licenseKey });
    site.faults.answer = 'html';
    expect(await answer()).toEqual([502, 'site_invalid_response']);
    site.faults.answer = 'hang';
    expect(await answer()).toEqual([504, 'site_timeout']);
    delete site.faults.answer;
    site.state.updateMs = 800;
    site.state.plugins['b/b.php'] = { version: '1.0', newVersion: '2.0' };
    site.state.fileChangesDisabled = false;
    const busy = fetch(`${site.siteUrl}/cms-json/service/v1/remote/update`, {
      method: 'POST',
      headers: { 'x-service-key': scene.licenseKey },
    });
    await expect.poll(() => site.underWay.now).toBe(1);
    expect(await answer()).toEqual([409, 'site_busy']);
    await busy;
    await scene.pointElsewhere(site.id, 'http://127.0.0.1:1/gone');
    expect(await answer()).toEqual([502, 'site_unreachable']);
    await scene.pointElsewhere(site.id, site.siteUrl);
    await site.agent.link.deactivate();
    expect(await answer()).toEqual([409, 'site_not_active']);
  });

  it.each([
    ['html', 502, 'site_invalid_response', 200],
    ['hang', 504, 'site_timeout', null],
    ['cut', 502, 'site_unreachable', null],
  ] as const)(
    'says why it was not done, as far as is known: %s',
    async (fault, status, code, http) => {
      const site = await scene.newSite();
      failOnce(site.faults, fault);
      const { status: answered, body } = await scene.owner.post('/remote/plugin-action', {
        site_id: site.id,
        action: 'deactivate',
        plugin: SHOP,
      });
      expect([answered, body.code]).toEqual([status, code]);
      expect(body.error).toMatch(/asked afterwards what it has: the plugin is there, and active\./);
      expect((await scene.owner.get(`/panel/runs/${body.run_id}`)).body.results).toMatchObject([
        { status: 'failed', code, http_status: http, error: body.error },
      ]);
    },
  );

  it('is looked up when the site breaks off without naming the action it has tried', async () => {
    const site = await scene.newSite();
    const ask = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    site.faults.answer = 'died_after';
    const answer = scene.owner.post('/remote/plugin-action', ask);
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.answer;
    expect(await answer).toMatchObject({ status: 200, body: { success: true, ...ask } });
    expect((await scene.owner.get(`/panel/sites/${site.id}`)).body.site.fault).toBeNull();
  });

  for (const [change, word] of [
    [{ action: 'explode' }, 'action'],
    [{ action: undefined }, 'action'],
    [{ plugin: '../../wp-config.php' }, 'plugin'],
    [{ plugin: 7 }, 'plugin'],
    [{ site_id: '1' }, 'site_id'],
    [{ site_id: -1 }, 'site_id'],
  ] as const) {
    it(`400 for ${JSON.stringify(change)}`, async () => {
      const ask = { site_id: 1, action: 'update', plugin: SHOP, ...change };
      const { status, body } = await scene.owner.post('/remote/plugin-action', ask);
      expect(status).toBe(400);
      expect(body.error).toContain(word);
    });
  }
});
