import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, newPerson } from './support/people.ts';
import { outdated, SHOP, startFleet } from './support/site-fleet.ts';
import { createTestPanel, type TestPanel } from './support/test-panel.ts';

/** How calls and reports change the state that a site is shown in. */

let panel: TestPanel;
let fleet: Awaited<ReturnType<typeof startFleet>>;
let owner: Browser & { id: number };
let licenseKey: string;
let panelUrl: string;

beforeAll(async () => {
  panel = await createTestPanel(
    {
      allowPrivateSites: true,
      siteTimeouts: { connectSeconds: 2, actionSeconds: 5, updateSeconds: 5 },
    },
    { works: true },
  );
  panelUrl = await panel.app.listen({ port: 0, host: '127.0.0.1' });
  ({ license_key: licenseKey } = await panel.license({ siteLimit: 100 }));
  fleet = await startFleet(panelUrl, licenseKey);
  owner = await newPerson(panel, 'owner');
});
afterAll(async () => {
  await fleet.stop();
  await panel.close();
});

let made = 0;
async function newSite(state = outdated()) {
  const site = await fleet.add(`site-${++made}`, state);
  const { id } = await panel.db
    .selectFrom('sites')
    .select('id')
    .where('url', '=', site.siteUrl)
    .executeTakeFirstOrThrow();
  const call = async (path: string, body: object) => {
    const { body: answer } = await owner.post(path, body);
    return answer as { run_id: number; results: { status: string }[] };
  };
  return {
    ...site,
    id,
    update: () => call('/remote/update', { site_ids: [id] }),
    async sync() {
      const { run_id } = await call('/panel/sites/sync', { site_ids: [id] });
      const isFinished = async () => (await owner.get(`/panel/runs/${run_id}`)).body.status;
      await expect.poll(isFinished, { timeout: 30_000 }).toBe('finished');
      return run_id;
    },
    act: (action: string) =>
      owner.post('/remote/plugin-action', { site_id: id, action, plugin: SHOP }),
    async seen() {
      const { status, fault } = (await owner.get(`/panel/sites/${id}`)).body.site;
      return { status, fault };
    },
  };
}

/** An address at which nobody listens. */
const pointElsewhere = (id: number, url: string) =>
  panel.db.updateTable('sites').set({ url, endpoint_url: null }).where('id', '=', id).execute();

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
          at: panel.edges.now.toISOString(),
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
        await site.options.write({ service_license_key: 'another key' });
        await site.sync();
        expect(await site.seen()).toMatchObject({
          status: 'failing',
          fault: { code: 'site_rejected_key' },
        });
        await site.options.write({ service_license_key: licenseKey });
        await (settle === 'sync' ? site.sync() : site.agent.link.activate(panelUrl, licenseKey));
        expect(await site.seen()).toEqual({ status: 'updates', fault: null });
      }
    });
  });

  it('is not reachable until a call succeeds, though it checks in and reports', async () => {
    const site = await newSite();
    await pointElsewhere(site.id, 'http://127.0.0.1:9');
    await site.sync();
    expect(await site.seen()).toMatchObject({
      status: 'not_reachable',
      fault: { code: 'site_unreachable' },
    });
    await pointElsewhere(site.id, site.siteUrl);
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
    await panel.post('/api/v1/license/deactivate', {
      license_key: licenseKey,
      site_url: site.siteUrl,
    });
    const { results } = await site.update();
    expect(results[0]?.status).toBe('refused');
    expect(await site.seen()).toEqual({ status: 'deactivated', fault });
  });
});
