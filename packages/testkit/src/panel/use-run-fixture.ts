import { isSiteKey, SITE_API_PREFIX } from '@steward/contract';
import type { Config } from '@steward/panel/program';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { outdatedSite, startFleet } from '../sites/site-fleet.ts';
import { type Browser, newSignedInUser } from './signed-in-user.ts';
import { createTestPanel, type TestPanel } from './test-panel.ts';

const TIMEOUT_MS = 60_000;
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

  async function isFinished(runId: number): Promise<boolean> {
    const run = db.selectFrom('runs').select('finished_at').where('id', '=', runId);
    return (await run.executeTakeFirstOrThrow()).finished_at !== null;
  }

  async function isProven(siteId: number): Promise<boolean> {
    const activation = db.selectFrom('license_activations').select('proven_at');
    const found = await activation.where('site_id', '=', siteId).executeTakeFirst();
    return found ? found.proven_at !== null : false;
  }

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
      // The site has responded to the challenge before the panel stores the proof. Until then, another attempt may follow,
      // which would also go to an address that the test stores.
      const { service_license_key: ownKey } = await site.options.read();
      if (panelMayCallSites && isSiteKey(ownKey ?? '')) {
        await vi.waitUntil(() => isProven(id), { interval: 10, timeout: TIMEOUT_MS });
      }
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
      const timeUp = AbortSignal.timeout(TIMEOUT_MS);
      for (;;) {
        const read = new AbortController();
        // Subscribe before reading, so that a change in between is not missed.
        const change = panel.runs.waitForChange(
          runId,
          1000,
          AbortSignal.any([timeUp, read.signal]),
        );
        const isOver = timeUp.aborted || (await isFinished(runId));
        if (isOver) read.abort();
        await change;
        if (isOver) break;
      }
      const { body } = await owner.get(`/panel/runs/${runId}`);
      expect(body.status).toBe('finished');
      return body;
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
