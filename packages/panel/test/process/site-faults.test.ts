import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

/** How calls and reports change the displayed status of a site. */

const fixture = useRunFixture();

async function newSite(state = outdatedSite()) {
  const site = await fixture.newSite(state);
  const { id } = site;
  const call = async (path: string, body: object) => {
    const { body: response } = await fixture.owner.post(path, body);
    return response as { run_id: number; results: { status: string }[] };
  };
  return {
    ...site,
    update: () => call('/remote/update', { site_ids: [id] }),
    async sync() {
      const { run_id } = await call('/panel/sites/sync', { site_ids: [id] });
      await fixture.waitForRun(run_id);
    },
    act: (action: string) =>
      fixture.owner.post('/remote/plugin-action', { site_id: id, action, plugin: SHOP }),
    async shown() {
      const { status, fault } = (await fixture.owner.get(`/panel/sites/${id}`)).body.site;
      return { status, fault };
    },
  };
}

describe('a site', () => {
  it('has updates, then is up to date', async () => {
    const site = await newSite();
    expect(await site.shown()).toEqual({ status: 'updates', fault: null });
    await site.update();
    expect(await site.shown()).toEqual({ status: 'up_to_date', fault: null });
  });

  describe('is failing', () => {
    const broken = () => ({
      ...outdatedSite(),
      plugins: { [SHOP]: { version: '1.0', newVersion: '2.0', updateFails: 'It is broken.' } },
    });

    it('after a failed update, with the reason, until one succeeds', async () => {
      const site = await newSite(broken());
      const { run_id } = await site.update();
      expect(await site.shown()).toEqual({
        status: 'failing',
        fault: {
          code: 'action_failed',
          error: expect.stringMatching(/^1 of 1 updates failed\. It is broken\./),
          at: fixture.panel.fakes.now.toISOString(),
          run_id,
        },
      });
      await site.sync();
      expect(await site.shown()).toMatchObject({ status: 'failing' });
      Object.assign(site.state, outdatedSite());
      await site.update();
      expect(await site.shown()).toEqual({ status: 'up_to_date', fault: null });
    });

    it('until a sync or a report shows no pending updates', async () => {
      for (const recovery of ['sync', 'report'] as const) {
        const site = await newSite(broken());
        await site.update();
        expect(await site.shown()).toMatchObject({ status: 'failing' });
        site.state.plugins = { [SHOP]: { version: '2.0' } };
        await (recovery === 'sync' ? site.sync() : site.agent.reportInventory());
        expect(await site.shown()).toEqual({ status: 'up_to_date', fault: null });
      }
    });

    it('after it rejected its key, until it accepts the key or is connected again', async () => {
      for (const recovery of ['sync', 'connect'] as const) {
        const site = await newSite();
        const { service_license_key } = await site.options.read();
        await site.options.write({ service_license_key: 'another key' });
        await site.sync();
        expect(await site.shown()).toMatchObject({
          status: 'failing',
          fault: { code: 'site_rejected_key' },
        });
        await site.options.write({ service_license_key });
        await (recovery === 'sync'
          ? site.sync()
          : site.agent.panelClient.activate(fixture.panelUrl, fixture.licenseKey));
        expect(await site.shown()).toEqual({ status: 'updates', fault: null });
      }
    });
  });

  it('is not reachable until a call succeeds, even if it checks in and reports', async () => {
    const site = await newSite();
    await fixture.setSiteUrl(site.id, 'http://127.0.0.1:9');
    await site.sync();
    expect(await site.shown()).toMatchObject({
      status: 'not_reachable',
      fault: { code: 'site_unreachable' },
    });
    expect(await fixture.readAudit(site.id, 'remote_site')).toMatchObject([
      { action: 'sync', context: { outcome: 'failed', error: expect.stringMatching(/./) } },
    ]);
    await fixture.setSiteUrl(site.id, site.siteUrl);
    await site.agent.reportInventory();
    expect(await site.shown()).toMatchObject({ status: 'not_reachable' });
    await site.sync();
    expect(await site.shown()).toEqual({ status: 'updates', fault: null });
  });

  it('has remote management off while it responds remote_disabled', async () => {
    const site = await newSite();
    await site.options.write({ service_enabled_services: [] });
    await site.act('deactivate');
    expect(await site.shown()).toMatchObject({
      status: 'remote_off',
      fault: { code: 'remote_disabled' },
    });
    await site.options.write({ service_enabled_services: ['remote'] });
    await site.act('deactivate');
    expect(await site.shown()).toEqual({ status: 'updates', fault: null });
  });

  it('keeps its fault if a run is refused before the call', async () => {
    const site = await newSite();
    await site.options.write({ service_enabled_services: [] });
    await site.sync();
    const { fault } = await site.shown();
    await site.agent.panelClient.deactivate();
    const { results } = await site.update();
    expect(results[0]?.status).toBe('refused');
    expect(await site.shown()).toEqual({ status: 'deactivated', fault });
  });
});
