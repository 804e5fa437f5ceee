import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import {
  countOpenChecks,
  listTroubles,
  requestRepeatedChecks,
} from '../../src/features/health/index.ts';

const FATAL = () => new Response('<b>Fatal error</b>: Uncaught Error in shop.php', { status: 500 });
const SHORT_PAGE = () => new Response('<html><body>Nothing here.</body></html>');

describe('health after an update', () => {
  const fixture = useRunFixture();

  /** Updates a site. Its pages behave like `after` from the update on. */
  async function update(after: (site: Awaited<ReturnType<typeof fixture.newSite>>) => void) {
    const site = await fixture.newSite();
    const { health, agent } = site;
    const observed: string[] = [];
    const note = (name: string) => {
      observed.push(name);
      return null;
    };
    health.home = ({ url }) => note(new URL(url).search ? 'uncached' : 'home');
    health.proof = () => note('proof');
    const runUpdate = agent.handle;
    Object.assign(agent, {
      async handle(request: Request) {
        const response = await runUpdate(request);
        if (request.url.endsWith('remote/update')) after(site);
        return response;
      },
    });
    const runId = await fixture.startUpdate([site.id]);
    await fixture.waitForRun(runId);
    const task = await fixture.task(runId, site.id);
    const stored = await fixture.panel.db
      .selectFrom('task_health')
      .selectAll()
      .where('task_id', '=', task.id)
      .executeTakeFirst();
    return {
      runId,
      site,
      task,
      stored,
      observed,
      troubles: await listTroubles(fixture.panel.db, runId),
    };
  }

  it('compares both signals before and after the update, in four requests', async () => {
    const { task, stored, observed, troubles } = await update(() => {});
    expect(task).toMatchObject({ status: 'succeeded', code: null });
    expect(observed).toEqual(['home', 'proof', 'home', 'proof']);
    // The response time is measured, so it is the only one that can differ.
    expect(stored?.before).toEqual({ ...stored?.after, response_ms: expect.any(Number) });
    expect(stored?.before?.application).toMatchObject({ http_status: 200, is_complete: true });
    expect([stored?.troubles, troubles]).toEqual([[], []]);
  });

  it('reports an application that died behind a page cache', async () => {
    const { runId, site, task, troubles } = await update(({ health }) => {
      health.proof = FATAL;
    });
    expect(task).toMatchObject({ status: 'unverified', code: 'site_unhealthy' });
    expect(task.error).toContain('The application no longer responds.');
    expect(troubles).toMatchObject([
      {
        task_id: task.id,
        site_id: site.id,
        delay_seconds: null,
        troubles: [{ code: 'application_down' }],
      },
    ]);
    const { body } = await fixture.owner.get(`/panel/runs/${runId}`);
    expect(body.results[0]).toMatchObject({ status: 'unverified', code: 'site_unhealthy' });
    const [record] = await fixture.readAudit(site.id, 'remote_update');
    expect(record?.context).toMatchObject({ outcome: 'unverified', code: 'site_unhealthy' });
  });

  it('reports a fatal error and a shrunk home page', async () => {
    const fatal = await update(({ health }) => Object.assign(health, { home: FATAL }));
    expect(fatal.task.error).toContain('The home page shows a fatal error.');
    const shrunk = await update(({ health }) => Object.assign(health, { home: SHORT_PAGE }));
    expect(shrunk.troubles[0]?.troubles).toMatchObject([{ code: 'page_shrunk', signal: 'home' }]);
  });

  it('ignores an error that a second check does not see', async () => {
    let failures = 1;
    const { task, troubles } = await update(({ health }) => {
      health.home = () => (failures-- > 0 ? FATAL() : null);
    });
    expect([task.status, troubles]).toEqual(['succeeded', []]);
  });

  it('finds no new trouble on a site that was broken before', async () => {
    const site = await fixture.newSite();
    Object.assign(site.health, { home: FATAL, proof: FATAL });
    const runId = await fixture.startUpdate([site.id]);
    await fixture.waitForRun(runId);
    expect(await fixture.task(runId, site.id)).toMatchObject({ status: 'succeeded' });
    expect(await listTroubles(fixture.panel.db, runId)).toEqual([]);
  });

  it('observes a site without pending updates only once', async () => {
    const state = outdatedSite();
    for (const plugin of Object.values(state.plugins)) delete plugin.newVersion;
    const site = await fixture.newSite(state);
    const observed: string[] = [];
    site.health.home = () => {
      observed.push('home');
      return null;
    };
    await fixture.waitForRun(await fixture.startUpdate([site.id]));
    expect(observed).toEqual(['home']);
  });

  it('repeats the check after 1, 10 and 60 minutes', async () => {
    const { db, fakes } = fixture.panel;
    const { runId, site, task, troubles } = await update(() => {});
    expect(troubles).toEqual([]);
    // A second request has no effect.
    await db.transaction().execute((trx) => requestRepeatedChecks(trx, [task.id], fakes.now));
    expect(await countOpenChecks(db, runId)).toBe(3);
    fakes.now = new Date(fakes.now.getTime() + 61_000);
    await expect.poll(() => countOpenChecks(db, runId)).toBe(2);
    expect(await listTroubles(db, runId)).toEqual([]);
    site.health.proof = FATAL;
    fakes.now = new Date(fakes.now.getTime() + 600_000);
    await expect.poll(() => countOpenChecks(db, runId)).toBe(1);
    expect(await listTroubles(db, runId)).toMatchObject([
      { task_id: task.id, delay_seconds: 600, troubles: [{ code: 'application_down' }] },
    ]);
  });
});
