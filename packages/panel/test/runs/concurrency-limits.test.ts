import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { hold } from '@steward/testkit/sites/held-site.ts';
import { SHOP, someAtATime } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { createCallSlots } from '../../src/features/runs/worker/call-slots.ts';

const PATIENT = { timeout: 30_000 };
const FAR_OFF = { connectSeconds: 2, actionSeconds: 600, updateSeconds: 600 };

describe('many sites that hang, in a run over more than a worker reads ahead', () => {
  const scene = useRunScene({
    siteTimeouts: FAR_OFF,
    siteCallLimits: { total: 10, perAddress: 500 },
  });

  it('do not hold up the single action that somebody waits for', async () => {
    const hanging = await someAtATime(250, () => scene.newSite());
    for (const site of hanging) site.faults.answer = 'hang';
    const good = await scene.newSite();
    const runId = await scene.startUpdate(hanging.map(({ id }) => id));
    const called = async () => {
      const tasks = scene.panel.db.selectFrom('run_tasks').where('run_id', '=', runId);
      const rows = await tasks.select('id').where('called_at', 'is not', null).execute();
      return rows.length;
    };
    // All that an update may have: two of ten are kept for those who wait.
    await expect.poll(called, PATIENT).toBe(8);

    const ask = { site_id: good.id, action: 'deactivate', plugin: SHOP };
    for (const action of ['deactivate', 'activate', 'update']) {
      const { status } = await scene.owner.post('/remote/plugin-action', { ...ask, action });
      expect([action, status]).toEqual([action, 200]);
    }
    const { counts } = (await scene.owner.get(`/panel/runs/${runId}?limit=1`)).body;
    expect((counts.queued ?? 0) + (counts.running ?? 0)).toBe(250);
    expect(await called()).toBe(8);
    await scene.owner.post(`/panel/runs/${runId}/cancel`);
  });
});

describe('a run that is cancelled', () => {
  const scene = useRunScene({
    siteTimeouts: FAR_OFF,
    siteCallLimits: { total: 1, perAddress: 1 },
  });

  it('does not call what a worker has taken in advance: that ends as cancelled', async () => {
    const slow = await scene.newSite();
    const letGo = hold(slow);
    const next = await scene.newSite();
    const runId = await scene.startUpdate([slow.id, next.id]);
    await scene.untilClaimed(runId, next.id);
    await expect.poll(() => slow.calls, PATIENT).toEqual(['update']);
    await scene.owner.post(`/panel/runs/${runId}/cancel`);
    expect((await scene.task(runId, next.id)).status).toBe('cancelled');
    letGo();
    const { results } = await scene.finished(runId);
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      'succeeded',
      'cancelled',
    ]);
    // The site is free for others, and the worker for other sites.
    const { body } = await scene.owner.post('/remote/update', { site_ids: [next.id] });
    expect(body.results[0].status).toBe('succeeded');
    expect(next.calls).toEqual(['update']);
  });
});

describe('sites with different names at one address', () => {
  const HERE = [{ address: '127.0.0.1', family: 4 }];
  const names = ['a.demo', 'b.demo', 'c.demo', 'd.demo'];
  const scene = useRunScene({
    siteAddresses: new Map(names.map((name) => [name, HERE])),
    siteCallLimits: { total: 10, perAddress: 2 },
  });

  it('share the limit of calls at that address', async () => {
    const sites = await someAtATime(12, () => scene.newSite());
    for (const [index, site] of sites.entries()) {
      site.state.updateMs = 100;
      const name = names[index % names.length] ?? '';
      await scene.pointElsewhere(site.id, site.siteUrl.replace('127.0.0.1', name));
    }
    const { results } = await scene.finished(await scene.startUpdate(sites.map(({ id }) => id)));
    expect(new Set(results.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['succeeded']),
    );
    expect(scene.fleet.underWay.most).toBe(2);
  });
});

describe('slots for calls', () => {
  const at = (address: string, isUrgent = false) => ({ address, isUrgent });

  it('are kept in part for urgent calls, and never more are given than there are', () => {
    const slots = createCallSlots({ total: 10, perAddress: 100 });
    const taken = Array.from({ length: 10 }, () => slots.tryTake(at('a')));
    expect(taken.filter(Boolean)).toHaveLength(8);
    const urgent = Array.from({ length: 10 }, () => slots.tryTake(at('a', true)));
    expect(urgent.filter(Boolean)).toHaveLength(2);
    expect([slots.free(true), slots.free(false)]).toEqual([0, 0]);
    slots.release(at('a', true));
    expect([slots.tryTake(at('b')), slots.tryTake(at('b', true))]).toEqual([false, true]);
    slots.release(at('a'));
    expect(slots.tryTake(at('b'))).toBe(true);
  });

  it('that are kept are lent for as long as calls end briskly', () => {
    let now = 0;
    const slots = createCallSlots({ total: 10, perAddress: 100 }, () => now);
    for (let call = 0; call < 8; call++) slots.tryTake(at('a'));
    for (let call = 0; call < 5; call++) slots.release(at('a'));
    expect(slots.free(false)).toBe(7);
    now = 1000;
    expect(slots.free(false)).toBe(5);
  });

  it('are all for everybody where there are only few', () => {
    const slots = createCallSlots({ total: 2, perAddress: 2 });
    expect([slots.tryTake(at('a')), slots.tryTake(at('b'))]).toEqual([true, true]);
  });

  it('are limited for an address also to urgent calls', () => {
    const slots = createCallSlots({ total: 10, perAddress: 1 });
    expect([slots.tryTake(at('a')), slots.tryTake(at('a', true))]).toEqual([true, false]);
  });

  it('may let two begin when one call ends: one waited for the address, one for a slot', async () => {
    const slots = createCallSlots({ total: 5, perAddress: 2 });
    for (const address of ['a', 'a', 'b', 'b']) slots.tryTake(at(address));
    const both = Promise.all([slots.take(at('c')), slots.take(at('a', true))]);
    slots.release(at('a'));
    await both;
    expect(slots.free(true)).toBe(0);
  });

  it('go to whoever waits and may have it', async () => {
    const slots = createCallSlots({ total: 5, perAddress: 5 });
    for (let call = 0; call < 4; call++) slots.tryTake(at('a'));
    slots.tryTake(at('a', true));
    const order: string[] = [];
    const ordinary = slots.take(at('b')).then(() => order.push('ordinary'));
    const urgent = slots.take(at('b', true)).then(() => order.push('urgent'));
    slots.release(at('a', true));
    await urgent;
    slots.release(at('a'));
    await ordinary;
    expect(order).toEqual(['urgent', 'ordinary']);
  });
});
