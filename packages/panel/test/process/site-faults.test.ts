import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { outdated, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

/** How calls and reports change the state that a site is shown in. */

const scene = useRunScene();

async function newSite(state = outdated()) {
  const site = await scene.newSite(state);
  const { id } = site;
  const call = async (path: string, body: object) => {
    const { body: answer } = await scene.owner.post(path, body);
    return answer as { run_id: number; results: { status: string }[] };
  };
  return {
    ...site,
    update: () => call('/remote/update', { site_ids: [id] }),
    async sync() {
      const { run_id } = await call('/panel/sites/sync', { site_ids: [id] });
      await scene.finished(run_id);
    },
    act: (action: string) =>
      scene.owner.post('/remote/plugin-action', { site_id: id, action, plugin: SHOP }),
    async seen() {
      const { status, fault } = (await scene.owner.get(`/panel/sites/${id}`)).body.site;
      return { status, fault };
    },
  };
}

describe('a site', () => {
  it('has updates, then none', async () => {
    const site = await newSite();
    expect(await site.seen()).toEqual({ status: 'updates', fault: null });
    await site.update();
    expect(await site.seen()).toEqual({ status: 'up_to_date', fault: null });
  });

  describe('is failing', () => {
    const broken = () => ({
      ...outdated(),
      plugins: { [SHOP]: { version: '1.0', newVersion: '2.0', updateFails: 'It is broken.' } },
    });

    it('when an update failed, with the reason, until one succeeds', async () => {
      const site = await newSite(broken());
      const { run_id } = await site.update();
      expect(await site.seen()).toEqual({
        status: 'failing',
        fault: {
          code: 'action_failed',
          error: expect.stringMatching(/^1 of 1 updates failed\. It is broken\./),
          at: scene.panel.edges.now.toISOString(),
          run_id,
        },
      });
      await site.sync();
      expect(await site.seen()).toMatchObject({ status: 'failing' });
      Object.assign(site.state, outdated());
      await site.update();
      expect(await site.seen()).toEqual({ status: 'up_to_date', fault: null });
    });

    it('until a sync or a report shows that nothing is pending any more', async () => {
      for (const settle of ['sync', 'report'] as const) {
        const site = await newSite(broken());
        await site.update();
        expect(await site.seen()).toMatchObject({ status: 'failing' });
        site.state.plugins = { [SHOP]: { version: '2.0' } };
        await (settle === 'sync' ? site.sync() : site.agent.verifySite());
        expect(await site.seen()).toEqual({ status: 'up_to_date', fault: null });
      }
    });

    it('when it refuses its key, until it takes it or is connected again', async () => {
      for (const settle of ['sync', 'connect'] as const) {
        const site = await newSite();
        const { service_license_key } = await site.options.read();
        await site.options.write({ service_license_key: 'another key' });
        await site.sync();
        expect(await site.seen()).toMatchObject({
          status: 'failing',
          fault: { code: 'site_rejected_key' },
        });
        await site.options.write({ service_license_key });
        await (settle === 'sync'
          ? site.sync()
          : site.agent.link.activate(scene.panelUrl, scene.licenseKey));
        expect(await site.seen()).toEqual({ status: 'updates', fault: null });
      }
    });
  });

  it('is not reachable until a call succeeds, though it checks in and reports', async () => {
    const site = await newSite();
    await scene.pointElsewhere(site.id, 'http://127.0.0.1:9');
    await site.sync();
    expect(await site.seen()).toMatchObject({
      status: 'not_reachable',
      fault: { code: 'site_unreachable' },
    });
    expect(await scene.audit(site.id, 'remote_site')).toMatchObject([
      { action: 'sync', context: { outcome: 'failed', error: expect.stringMatching(/./) } },
    ]);
    await scene.pointElsewhere(site.id, site.siteUrl);
    await site.agent.verifySite();
    expect(await site.seen()).toMatchObject({ status: 'not_reachable' });
    await site.sync();
    expect(await site.seen()).toEqual({ status: 'updates', fault: null });
  });

  it('has Remote switched off when it says so, until it does not', async () => {
    const site = await newSite();
    await site.options.write({ service_enabled_services: [] });
    await site.act('deactivate');
    expect(await site.seen()).toMatchObject({
      status: 'remote_off',
      fault: { code: 'remote_disabled' },
    });
    await site.options.write({ service_enabled_services: ['remote'] });
    await site.act('deactivate');
    expect(await site.seen()).toEqual({ status: 'updates', fault: null });
  });

  it('stays as it is when a run is refused before it is called', async () => {
    const site = await newSite();
    await site.options.write({ service_enabled_services: [] });
    await site.sync();
    const { fault } = await site.seen();
    await site.agent.link.deactivate();
    const { results } = await site.update();
    expect(results[0]?.status).toBe('refused');
    expect(await site.seen()).toEqual({ status: 'deactivated', fault });
  });
});
