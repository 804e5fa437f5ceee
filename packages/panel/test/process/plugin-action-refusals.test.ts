import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it } from 'vitest';

const scene = useRunScene();

// It waits for a site that hangs and for one that is busy, so it is among the slow tests.
it('POST /remote/plugin-action says why not: every row of what can go wrong', async () => {
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
  const { service_license_key } = await site.options.read();
  await site.options.write({
    service_enabled_services: ['remote'],
    service_license_key: 'other',
  });
  expect(await answer()).toEqual([502, 'site_rejected_key']);
  await site.options.write({ service_license_key });
  site.faults.answer = 'html';
  expect(await answer()).toEqual([502, 'site_invalid_response']);
  site.faults.answer = 'hang';
  expect(await answer()).toEqual([504, 'site_timeout']);
  delete site.faults.answer;
  // Longer than the panel tries again, on a busy machine too.
  site.state.updateMs = 5000;
  site.state.plugins['b/b.php'] = { version: '1.0', newVersion: '2.0' };
  site.state.fileChangesDisabled = false;
  // As a caller that is not the panel: the site must not ask for its signature.
  const { signing_key } = await site.options.read();
  await site.options.write({ signing_key: null });
  const busy = fetch(`${site.siteUrl}/cms-json/service/v1/remote/update`, {
    method: 'POST',
    headers: { 'x-service-key': service_license_key ?? '' },
  });
  await expect.poll(() => site.underWay.now).toBe(1);
  expect(await answer()).toEqual([409, 'site_busy']);
  await busy;
  await site.options.write({ signing_key });
  await scene.pointElsewhere(site.id, 'http://127.0.0.1:1/gone');
  expect(await answer()).toEqual([502, 'site_unreachable']);
  await scene.pointElsewhere(site.id, site.siteUrl);
  await site.agent.link.deactivate();
  expect(await answer()).toEqual([409, 'site_not_active']);
});
