import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it } from 'vitest';

const fixture = useRunFixture();

// Slow: it waits for a hanging site and a busy one.
it('POST /remote/plugin-action returns the code for every kind of failure', async () => {
  const site = await fixture.newSite();
  const request = { site_id: site.id, action: 'deactivate', plugin: SHOP };
  const act = async (change: object = {}) => {
    const { status, body } = await fixture.owner.post('/remote/plugin-action', {
      ...request,
      ...change,
    });
    return [status, body.code];
  };
  expect(await act({ plugin: 'none/none.php' })).toEqual([404, 'plugin_not_found']);
  expect(await act({ site_id: 999_999_999 })).toEqual([404, 'site_not_found']);
  site.state.plugins[SHOP] = {
    version: '1.0',
    active: false,
    activationFails: 'It needs PHP 9.',
  };
  expect(await act({ action: 'activate' })).toEqual([500, 'action_failed']);
  const { body } = await fixture.owner.post('/remote/plugin-action', {
    ...request,
    action: 'activate',
  });
  const attempt = await fixture.owner.get(`/panel/runs/${body.run_id}`);
  expect(attempt.body.results).toMatchObject([{ status: 'failed', error: 'It needs PHP 9.' }]);
  site.state.fileChangesDisabled = true;
  expect(await act({ action: 'delete' })).toEqual([403, 'file_changes_disabled']);
  await site.options.write({ service_enabled_services: [] });
  expect(await act()).toEqual([403, 'remote_disabled']);
  const { service_license_key } = await site.options.read();
  await site.options.write({
    service_enabled_services: ['remote'],
    service_license_key: 'other',
  });
  expect(await act()).toEqual([502, 'site_rejected_key']);
  await site.options.write({ service_license_key });
  site.faults.response = 'html';
  expect(await act()).toEqual([502, 'site_invalid_response']);
  site.faults.response = 'hang';
  expect(await act()).toEqual([504, 'site_timeout']);
  delete site.faults.response;
  // Longer than all retries of the panel, even on a busy machine.
  site.state.updateMs = 5000;
  site.state.plugins['b/b.php'] = { version: '1.0', newVersion: '2.0' };
  site.state.fileChangesDisabled = false;
  // The direct call below is unsigned, so the site must not require a signature.
  const { signing_key } = await site.options.read();
  await site.options.write({ signing_key: null });
  const busy = fetch(`${site.siteUrl}/cms-json/service/v1/remote/update`, {
    method: 'POST',
    headers: { 'x-service-key': service_license_key ?? '' },
  });
  await expect.poll(() => site.inFlight.now).toBe(1);
  expect(await act()).toEqual([409, 'site_busy']);
  await busy;
  await site.options.write({ signing_key });
  await fixture.setSiteUrl(site.id, 'http://127.0.0.1:1/gone');
  expect(await act()).toEqual([502, 'site_unreachable']);
  await fixture.setSiteUrl(site.id, site.siteUrl);
  await site.agent.panelClient.deactivate();
  expect(await act()).toEqual([409, 'site_not_active']);
});
