import { SITE_API_PREFIX } from '@steward/contract';
import type { Config } from '@steward/panel/program';
import { afterAll, beforeAll, expect } from 'vitest';
import { outdatedSite, startFleet } from '../sites/site-fleet.ts';
import { type Browser, newSignedInUser } from './signed-in-user.ts';
import { createTestPanel, type TestPanel } from './test-panel.ts';

const RESPOND_ASYNC = { headers: { prefer: 'respond-async' } };

/** Starts a listening panel and sites that it calls over real HTTP, for all tests of a file. */
export function useRunFixture(
  config: Partial<Config> = {},
  { startsWorker = true, ...options }: Parameters<typeof createTestPanel>[1] = {},
) {
  const fixture = {} as Awaited<ReturnType<typeof openFixture>> & { panel: TestPanel };
  beforeAll(async () => {
    // A busy machine can stop for some seconds. A site that does not respond at all takes this long in a test.
    const siteTimeouts = { connectSeconds: 10, actionSeconds: 15, updateSeconds: 15 };
    const siteCallLimits = { total: 10, perAddress: 10 };
    const defaults = { allowPrivateSites: true, siteTimeouts, siteCallLimits };
    const panel = await createTestPanel({ ...defaults, ...config }, { startsWorker, ...options });
    Object.assign(fixture, { panel });
    Object.assign(fixture, await openFixture(panel, config.allowPrivateSites !== false));
  });
  afterAll(async () => {
    await fixture.fleet?.stop();
    await fixture.panel?.close();
  });
  return fixture;
}

export type RunFixture = ReturnType<typeof useRunFixture>;
export type FixtureSite = Awaited<ReturnType<RunFixture['newSite']>>;

async function openFixture(panel: TestPanel, panelMayCallSites: boolean) {
  const { db } = panel;
  const panelUrl = await panel.app.listen({ port: 0, host: '127.0.0.1' });
  panel.fakes.panelUrl = panelUrl;
  const { license_key: licenseKey } = await panel.license({ siteLimit: 500 });
  const fleet = await startFleet(panelUrl, licenseKey, { panelMayCallSites });
  const owner: Browser & { id: number; password: string } = await newSignedInUser(panel, 'owner');
  let siteCount = 0;

  const task = (runId: number, siteId: number) =>
    db
      .selectFrom('run_tasks')
      .selectAll()
      .where('run_id', '=', runId)
      .where('site_id', '=', siteId)
      .executeTakeFirstOrThrow();

  return {
    panelUrl,
    licenseKey,
    fleet,
    owner,
    task,

    /** Adds a site to the shared license, or to the license of `key`. */
    async newSite(state = outdatedSite(), key = licenseKey) {
      const site = await fleet.add(`site-${++siteCount}`, state, key);
      const { id } = await db
        .selectFrom('sites')
        .select('id')
        .where('url', '=', site.siteUrl)
        .executeTakeFirstOrThrow();
      return { ...site, id };
    },

    /** Stores another address for the site, as if the license had been activated and the endpoint proven there. */
    async setSiteUrl(id: number, url: string) {
      const proven_endpoint_url = `${url}/${SITE_API_PREFIX}/`;
      await db.updateTable('sites').set({ url, endpoint_url: null }).where('id', '=', id).execute();
      const activation = db.updateTable('license_activations').set({ proven_endpoint_url });
      await activation.where('site_id', '=', id).execute();
    },

    /** Starts an update and returns its run id without waiting. */
    async startUpdate(siteIds: number[], user: Browser = owner): Promise<number> {
      const { body } = await user.post('/remote/update', { site_ids: siteIds }, RESPOND_ASYNC);
      return body.run_id;
    },

    /** Waits until the run has finished and returns it with its results. */
    async waitForRun(runId: number) {
      await expect
        .poll(async () => (await owner.get(`/panel/runs/${runId}?limit=1`)).body.status, {
          timeout: 60_000,
        })
        .toBe('finished');
      return (await owner.get(`/panel/runs/${runId}`)).body;
    },

    readAudit: (siteId: number, entityType: string) =>
      db
        .selectFrom('audit_log')
        .select(['action', 'actor', 'entity_type', 'entity_id', 'context'])
        .where('site_id', '=', siteId)
        .where('entity_type', '=', entityType)
        .orderBy('id')
        .execute(),
  };
}
