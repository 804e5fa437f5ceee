import { RunTask } from '@steward/contract';
import { newPerson, type Person } from '@steward/testkit/panel/people.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { beforeAll, describe, expect, it } from 'vitest';

describe('GET /panel/runs', () => {
  // Nobody works: what was asked of a site goes on, what was asked of none has ended at once.
  const scene = useRunScene({}, { works: false });
  const NOBODYS_SITE = 999_999_999;
  let manager: Person;
  let [ofOwner, ofManager, ended] = [0, 0, 0];

  const list = async (query: string, who: Pick<Person, 'get'> = scene.owner): Promise<number[]> => {
    const { status, body } = await who.get(`/panel/runs${query}`);
    expect(status).toBe(200);
    return body.runs.map(({ run_id }: { run_id: number }) => run_id);
  };

  beforeAll(async () => {
    const site = await scene.newSite();
    manager = await newPerson(scene.panel, 'manager');
    await scene.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${site.id}`);
    ofOwner = await scene.startUpdate([site.id]);
    ofManager = await scene.startUpdate([site.id], manager);
    ended = await scene.startUpdate([NOBODYS_SITE]);
  });

  it('gives the newest first, to owners those of everybody', async () => {
    expect(await list('')).toEqual([ended, ofManager, ofOwner]);
    expect(await list('', manager)).toEqual([ofManager]);
    expect(await list(`?before=${ended}&limit=1`)).toEqual([ofManager]);
  });

  it('gives those that go on, or those that have finished, alone', async () => {
    expect(await list('?status=running')).toEqual([ofManager, ofOwner]);
    expect(await list('?status=running&limit=1')).toEqual([ofManager]);
    expect(await list(`?status=running&before=${ofManager}`)).toEqual([ofOwner]);
    expect(await list('?status=running', manager)).toEqual([ofManager]);
    expect(await list('?status=finished')).toEqual([ended]);
    expect(await list('?status=finished', manager)).toEqual([]);
  });

  it('shows tasks with the fields of the contract and no others', async () => {
    const { body } = await scene.owner.get(`/panel/runs/${ofOwner}`);
    const { details_omitted, ...always } = RunTask.properties;
    expect(Object.keys(body.results[0])).toEqual(Object.keys(always));
  });

  for (const query of ['status=odd', 'status=', 'limit=0', 'limit=201', 'before=x']) {
    it(`is 400 for ${query}`, async () => {
      const { status, body } = await scene.owner.get(`/panel/runs?${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    });
  }
});
