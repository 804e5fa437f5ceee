import { followRuns } from '@steward/testkit/panel/event-stream.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const fixture = useRunFixture();
const SECRET_ITEM = 'secret-intranet/secret-intranet.php';

describe('a run of another user on a site of a manager', () => {
  let manager: Person;
  let hidden: FixtureSite[];
  let site: FixtureSite;
  let runId: number;
  let whole: { results: { task_id: number; site_id: number; change: number }[]; total: number };

  const grant = (user: Person, { id }: FixtureSite) =>
    fixture.owner.call('PUT', `/panel/users/${user.id}/access/sites/${id}`);
  const readRun = async (query = '') => (await manager.get(`/panel/runs/${runId}${query}`)).body;

  /** The update of the shop fails on each site with a text of its own. */
  async function newFailingSite(reason: string) {
    const state = { version: '1.0', newVersion: '2.0' };
    const created = await fixture.newSite();
    created.state.plugins[SHOP] = { ...state, updateFails: reason };
    return created;
  }

  function expectNothingHidden(body: unknown) {
    const text = JSON.stringify(body);
    for (const { siteUrl, id } of hidden) {
      expect(text).not.toContain(`${new URL(siteUrl).pathname}"`);
      expect(text).not.toContain(`"site_id":${id},`);
    }
    expect(text).not.toMatch(/secret/i);
  }

  beforeAll(async () => {
    manager = await newSignedInUser(fixture.panel, 'manager');
    const first = await newFailingSite('Secret reason of the first site.');
    first.state.plugins[SECRET_ITEM] = { version: '1.0', newVersion: '1.1' };
    await first.agent.reportInventory();
    site = await newFailingSite('No space left.');
    hidden = [first, await newFailingSite('Secret reason of the last site.')];
    await grant(manager, site);
    const { body } = await fixture.owner.post('/remote/update', {
      site_ids: [first.id, site.id, hidden[1]?.id],
      items: [
        { type: 'plugin', slug: SECRET_ITEM },
        { type: 'plugin', slug: SHOP },
      ],
    });
    runId = body.run_id;
    whole = (await fixture.owner.get(`/panel/runs/${runId}`)).body;
    expect(whole.total).toBe(3);
    expect(JSON.stringify(whole)).toContain('Secret reason');
  });

  it('is listed, as if it had no other sites', async () => {
    const { runs } = (await manager.get('/panel/runs')).body;
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      run_id: runId,
      only_your_sites: true,
      total: 1,
      counts: { failed: 1 },
      site: { site_id: site.id, site_url: site.siteUrl },
      request: { items: [{ type: 'plugin', slug: SHOP }], items_total: 1 },
      success: false,
    });
    expectNothingHidden(runs);
    expect((await manager.get('/panel/runs?status=finished')).body.runs).toEqual(runs);
    expect((await manager.get('/panel/runs?status=running')).body.runs).toEqual([]);
  });

  it('shows only the task of this site, with its error and a position of its own', async () => {
    const body = await readRun();
    expect(body.results).toMatchObject([{ site_id: site.id, status: 'failed' }]);
    expect(JSON.stringify(body.results)).toContain('No space left');
    expectNothingHidden(body);
    expect((await readRun('?after=0')).results).toEqual([]);
    expect((await readRun('?status=failed')).results).toHaveLength(1);
    expect((await readRun('?status=refused')).results).toEqual([]);
  });

  it('shows no single task of another site', async () => {
    for (const { task_id, site_id } of whole.results) {
      const { status, body } = await manager.get(`/panel/runs/${runId}/tasks/${task_id}`);
      expect([status, body.code]).toEqual(
        site_id === site.id ? [200, undefined] : [404, 'not_found'],
      );
    }
  });

  it('sends only the events of this site', async () => {
    const user = { ...manager, role: 'manager' as const };
    const { run, tasks } = await fixture.panel.runs.listChanges(user, runId, 0);
    expect([run.total, tasks.map(({ site_id }) => site_id)]).toEqual([1, [site.id]]);
    const stream = await followRuns(fixture.panelUrl, manager);
    const [event] = await stream.until(({ length }) => length > 0);
    expect(event?.data).toEqual({ runs: [], newest_run_id: runId });
  });

  it('cannot be cancelled or retried by the manager', async () => {
    for (const path of ['cancel', 'retry']) {
      const { status, body } = await manager.post(`/panel/runs/${runId}/${path}`);
      expect([path, status, body.code]).toEqual([path, 403, 'forbidden']);
    }
    expect((await fixture.owner.get(`/panel/runs/${runId}`)).body).toMatchObject({
      cancelled_at: null,
      is_retried: false,
    });
  });

  it('is not found by a manager of no site of the run', async () => {
    const other = await newSignedInUser(fixture.panel, 'manager');
    await grant(other, await fixture.newSite());
    expect((await other.get('/panel/runs')).body.runs).toEqual([]);
    for (const path of ['', `/tasks/${whole.results[0]?.task_id}`, '/events']) {
      const { status, body } = await other.get(`/panel/runs/${runId}${path}`);
      expect([path, status, body.code]).toEqual([path, 404, 'run_not_found']);
    }
    const { status } = await other.post(`/panel/runs/${runId}/cancel`);
    expect(status).toBe(404);
  });

  it('does not show what a user without access asked of the site', async () => {
    const stranger = await newSignedInUser(fixture.panel, 'manager');
    const { body } = await stranger.post('/remote/update', { site_ids: [site.id] });
    expect(body.results).toMatchObject([{ status: 'refused', code: 'site_not_found' }]);
    const listed = (await manager.get('/panel/runs')).body.runs;
    expect(listed.map(({ run_id }: { run_id: number }) => run_id)).toEqual([runId]);
    expect((await manager.get(`/panel/runs/${body.run_id}`)).body.code).toBe('run_not_found');
  });

  it('leaves the other sites out of the history of the site', async () => {
    const { status, body } = await manager.get(`/panel/sites/${site.id}/history`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('No space left');
    expectNothingHidden(body);
    expect((await manager.get('/panel/audit')).status).toBe(403);
  });

  it('has ended for the manager once the tasks on visible sites have ended', async () => {
    const running = await fixture.panel.db
      .updateTable('run_tasks')
      .set({ status: 'running', finished_at: null })
      .where('run_id', '=', runId)
      .where('site_id', '=', hidden[1]?.id ?? 0)
      .returning('finished_at')
      .execute();
    expect(running).toHaveLength(1);
    await fixture.panel.db
      .updateTable('runs')
      .set({ finished_at: null })
      .where('id', '=', runId)
      .execute();
    expect(await readRun()).toMatchObject({ status: 'finished', counts: { failed: 1 } });
    const status = async (who: Pick<Person, 'get'>, filter: string) =>
      (await who.get(`/panel/runs?status=${filter}`)).body.runs.length;
    expect([await status(manager, 'running'), await status(fixture.owner, 'running')]).toEqual([
      0, 1,
    ]);
  });
});
