import { newToken } from '@steward/testkit/panel/access-token.ts';
import {
  type Browser,
  newSignedInUser,
  type Person,
  signedIn,
} from '@steward/testkit/panel/signed-in-user.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { beforeEach, describe, expect, it } from 'vitest';

/** Without a worker, tasks stay queued. */
const fixture = useRunFixture({}, { startsWorker: false });

const ASYNC = { headers: { prefer: 'respond-async' } };
const REFUSED = [403, 'confirmation_required'];

let manager: Person;
let nextId = 900_000;

const minutesLater = (minutes: number) => {
  fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + minutes * 60_000);
};
const outcomeOf = async (response: ReturnType<Browser['call']>) => {
  const { status, body } = await response;
  return body.code ? [status, body.code] : [status];
};
/** Sites that do not exist are refused at once; their number counts all the same. */
const deleteOn = (sites: number, user: Pick<Browser, 'post'> = manager) =>
  outcomeOf(
    user.post(
      '/panel/sites/plugin-action',
      {
        site_ids: Array.from({ length: sites }, () => nextId++),
        action: 'delete',
        plugin: SHOP,
      },
      ASYNC,
    ),
  );
const deleteOnOne = (user: Pick<Browser, 'post'> = manager) =>
  outcomeOf(
    user.post('/remote/plugin-action', { site_id: nextId++, action: 'delete', plugin: SHOP }),
  );
const countRuns = async () =>
  Number((await fixture.panel.pool.query('SELECT count(*) FROM runs')).rows[0].count);

beforeEach(async () => {
  manager = await newSignedInUser(fixture.panel, 'manager');
  minutesLater(11);
});

describe('the deletions of a session in ten minutes', () => {
  it('need a confirmation above ten, also in several requests', async () => {
    expect(await deleteOn(10)).toEqual([200]);
    const before = await countRuns();
    expect(await deleteOn(2)).toEqual(REFUSED);
    expect(await deleteOnOne()).toEqual(REFUSED);
    expect(await countRuns()).toBe(before);
    await manager.post('/auth/confirm', { password: manager.password });
    expect(await deleteOn(12)).toEqual([200]);
  });

  it('include deletions on single sites', async () => {
    for (let site = 0; site < 10; site++) {
      expect(await deleteOnOne()).toEqual([404, 'site_not_found']);
    }
    expect(await deleteOnOne()).toEqual(REFUSED);
    expect(await deleteOn(1)).toEqual(REFUSED);
  });

  it('include retries', async () => {
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const site_ids = sites.map(({ id }) => id);
    const { owner } = fixture;
    const body = { site_ids, action: 'delete', plugin: SHOP };
    const { run_id } = (await owner.post('/panel/sites/plugin-action', body, ASYNC)).body;
    await owner.post(`/panel/runs/${run_id}/cancel`);
    minutesLater(11);
    expect(await deleteOn(9, owner)).toEqual([200]);
    const retry = () => outcomeOf(owner.post(`/panel/runs/${run_id}/retry`, {}, ASYNC));
    expect(await retry()).toEqual(REFUSED);
    await owner.post('/auth/confirm', { password: owner.password });
    expect(await retry()).toEqual([202]);
  });

  it('need a confirmation also if two requests arrive at the same time', async () => {
    const outcomes = await Promise.all([deleteOn(10), deleteOn(10), deleteOn(10)]);
    expect(outcomes.toSorted()).toEqual([[200], REFUSED, REFUSED]);
  });

  it('are counted for ten minutes, and for each session separately', async () => {
    const other = await signedIn(fixture.panel, manager);
    minutesLater(11);
    expect(await deleteOn(10)).toEqual([200]);
    expect(await deleteOn(10, other)).toEqual([200]);
    minutesLater(9);
    expect(await deleteOn(1)).toEqual(REFUSED);
    minutesLater(1);
    expect(await deleteOn(10)).toEqual([200]);
  });

  it('do not include other actions', async () => {
    const site_ids = Array.from({ length: 40 }, () => nextId++);
    for (const action of ['deactivate', 'update']) {
      const body = { site_ids, action, plugin: SHOP };
      const response = manager.post('/panel/sites/plugin-action', body, ASYNC);
      expect(await outcomeOf(response)).toEqual([200]);
    }
    expect(await deleteOn(10)).toEqual([200]);
  });
});

describe('the deletions of an access token in ten minutes', () => {
  it('are limited to ten, because a token cannot confirm', async () => {
    await manager.post('/auth/confirm', { password: manager.password });
    const request = { role: 'manager', actions: ['plugins'] } as const;
    const [token, other] = [
      await newToken(fixture.panel, manager, { ...request, actions: [...request.actions] }),
      await newToken(fixture.panel, manager, { ...request, actions: [...request.actions] }),
    ];
    expect(await deleteOn(11, token)).toEqual([403, 'token_not_allowed']);
    expect(await deleteOn(4, token)).toEqual([200]);
    minutesLater(4);
    expect(await deleteOn(6, token)).toEqual([200]);
    const before = await countRuns();
    const body = { site_id: nextId++, action: 'delete', plugin: SHOP };
    const refused = await token.post('/remote/plugin-action', body);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers['retry-after']).toBe('360');
    expect(await deleteOn(5, token)).toEqual([429, 'rate_limited']);
    expect(await countRuns()).toBe(before);
    expect(await deleteOn(10, other)).toEqual([200]);
    expect(await deleteOn(10)).toEqual([200]);
    minutesLater(6);
    expect(await deleteOn(4, token)).toEqual([200]);
  });
});
