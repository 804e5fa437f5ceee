import { RunTask } from '@steward/contract';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { beforeAll, describe, expect, it } from 'vitest';

describe('GET /panel/runs', () => {
  // Without a worker, a run on a site keeps running; a run on no known site finishes at once.
  const fixture = useRunFixture({}, { startsWorker: false });
  const UNKNOWN_SITE = 999_999_999;
  let manager: Person;
  let [ofOwner, ofManager, finished] = [0, 0, 0];

  const list = async (
    query: string,
    who: Pick<Person, 'get'> = fixture.owner,
  ): Promise<number[]> => {
    const { status, body } = await who.get(`/panel/runs${query}`);
    expect(status).toBe(200);
    return body.runs.map(({ run_id }: { run_id: number }) => run_id);
  };

  beforeAll(async () => {
    const site = await fixture.newSite();
    manager = await newSignedInUser(fixture.panel, 'manager');
    await fixture.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${site.id}`);
    ofOwner = await fixture.startUpdate([site.id]);
    ofManager = await fixture.startUpdate([site.id], manager);
    finished = await fixture.startUpdate([UNKNOWN_SITE]);
  });

  it('lists the newest first; owners see all runs, other users those on their sites', async () => {
    expect(await list('')).toEqual([finished, ofManager, ofOwner]);
    expect(await list('', manager)).toEqual([ofManager, ofOwner]);
    expect(await list(`?before=${finished}&limit=1`)).toEqual([ofManager]);
  });

  it('filters by status', async () => {
    expect(await list('?status=running')).toEqual([ofManager, ofOwner]);
    expect(await list('?status=running&limit=1')).toEqual([ofManager]);
    expect(await list(`?status=running&before=${ofManager}`)).toEqual([ofOwner]);
    expect(await list('?status=running', manager)).toEqual([ofManager, ofOwner]);
    expect(await list('?status=finished')).toEqual([finished]);
    expect(await list('?status=finished', manager)).toEqual([]);
  });

  it('counts the sites that the panel still reconciles', async () => {
    const sites = [await fixture.newSite(), await fixture.newSite(), await fixture.newSite()];
    const runId = await fixture.startUpdate(sites.map(({ id }) => id));
    const setLost = (site: number, finished_at: Date | null) =>
      fixture.panel.db
        .updateTable('run_tasks')
        .set({ status: 'unknown', dispatched_at: new Date(), finished_at })
        .where('run_id', '=', runId)
        .where('site_id', '=', sites[site]?.id ?? 0)
        .execute();
    const read = async () => {
      const { body } = await fixture.owner.get(`/panel/runs/${runId}`);
      return [body.counts, body.verifying];
    };
    expect(await read()).toEqual([{ queued: 3 }, undefined]);
    await setLost(0, null);
    await setLost(1, new Date());
    expect(await read()).toEqual([{ queued: 1, unknown: 2 }, 1]);
    await fixture.panel.db.deleteFrom('runs').where('id', '=', runId).execute();
  });

  it('shows tasks with exactly the fields of the contract', async () => {
    const { body } = await fixture.owner.get(`/panel/runs/${ofOwner}`);
    const { details_omitted, window_opens_at, watch, ...always } = RunTask.properties;
    expect(Object.keys(body.results[0])).toEqual(Object.keys(always));
  });

  it('names the allowed range of a number that is out of range', async () => {
    const listRange = 'limit must be a whole number from 1 to 200.';
    for (const [path, error] of [
      ['?limit=0', listRange],
      ['?limit=201', listRange],
      ['?before=x', 'before must be a whole number from 0 to 999999999.'],
      [`/${finished}?limit=10000`, 'limit must be a whole number from 1 to 9999.'],
    ]) {
      expect((await fixture.owner.get(`/panel/runs${path}`)).body).toMatchObject({ error });
    }
  });

  for (const query of ['status=odd', 'status=', 'limit=0', 'limit=201', 'before=x']) {
    it(`responds 400 to ${query}`, async () => {
      const { status, body } = await fixture.owner.get(`/panel/runs?${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    });
  }
});
