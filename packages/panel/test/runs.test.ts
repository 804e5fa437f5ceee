import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, browser, newPerson } from './support/people.ts';
import { outdated, SHOP, startFleet } from './support/site-fleet.ts';
import { createTestPanel, type TestPanel } from './support/test-panel.ts';

let panel: TestPanel;
let fleet: Awaited<ReturnType<typeof startFleet>>;
let owner: Browser & { id: number };
let panelUrl: string;
let licenseKey: string;

beforeAll(async () => {
  panel = await createTestPanel(
    {
      allowPrivateSites: true,
      siteTimeouts: { connectSeconds: 2, actionSeconds: 5, updateSeconds: 5 },
      siteCallLimits: { total: 10, perAddress: 10 },
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
  const row = await panel.db
    .selectFrom('sites')
    .select('id')
    .where('url', '=', site.siteUrl)
    .executeTakeFirstOrThrow();
  return { ...site, id: row.id };
}

async function finished(runId: number) {
  await expect
    .poll(async () => (await owner.get(`/panel/runs/${runId}`)).body.status, { timeout: 30_000 })
    .toBe('finished');
  return (await owner.get(`/panel/runs/${runId}`)).body;
}

/** As if the site had been there when it was activated. */
const pointElsewhere = (id: number, url: string) =>
  panel.db.updateTable('sites').set({ url, endpoint_url: null }).where('id', '=', id).execute();

const audit = (siteId: number, entityType: string) =>
  panel.db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'entity_type', 'entity_id', 'context'])
    .where('site_id', '=', siteId)
    .where('entity_type', '=', entityType)
    .orderBy('id')
    .execute();

describe('POST /remote/update', () => {
  describe('200', () => {
    it('updates the sites, in the order of the ids, and records each', async () => {
      const [a, b] = [await newSite(), await newSite()];
      const { status, body } = await owner.post('/remote/update', { site_ids: [b.id, a.id, b.id] });
      expect([status, body.success, body.status]).toEqual([200, true, 'finished']);
      expect(body.results.map(({ site_id }: { site_id: number }) => site_id)).toEqual([b.id, a.id]);
      expect(body.results[0]).toMatchObject({
        site_url: b.siteUrl,
        status: 'succeeded',
        http_status: 200,
        plugins: { updated: 1, failed: 0 },
        themes: { updated: 0, failed: 0 },
        core: { updated: 0, failed: 0 },
        error: null,
        code: null,
      });
      expect(a.state.plugins[SHOP]?.version).toBe('2.0');
      expect(await audit(a.id, 'remote_update')).toEqual([
        {
          action: 'update',
          actor: String(owner.id),
          entity_type: 'remote_update',
          entity_id: String(a.id),
          context: expect.objectContaining({
            run_id: body.run_id,
            outcome: 'succeeded',
            plugins: { updated: 1, failed: 0 },
          }),
        },
      ]);
    });

    it('answers at once with 202 when asked to, and tells the rest later', async () => {
      const site = await newSite();
      site.state.updateMs = 300;
      const prefer = { headers: { prefer: 'respond-async' } };
      const started = await owner.post('/remote/update', { site_ids: [site.id] }, prefer);
      expect([started.status, started.body.status]).toEqual([202, 'running']);
      const ended = await finished(started.body.run_id);
      expect(ended).toMatchObject({ status: 'finished', counts: { succeeded: 1 }, success: true });
    });

    it('waits no longer than it is asked to', async () => {
      const site = await newSite();
      site.state.updateMs = 1500;
      const answer = await owner.post(
        '/remote/update',
        { site_ids: [site.id] },
        { headers: { prefer: 'wait=0' } },
      );
      expect(answer.status).toBe(202);
      expect((await finished(answer.body.run_id)).success).toBe(true);
    });

    it('gives each site of a mixed bag its own status and code', async () => {
      const bag = {
        good: await newSite(),
        corrupt: await newSite(),
        allCorrupt: await newSite(),
        lying: await newSite(),
        down: await newSite(),
        html: await newSite(),
        wrongShape: await newSite(),
        remoteOff: await newSite(),
        otherKey: await newSite(),
        hanging: await newSite(),
        noFiles: await newSite(),
      };
      bag.corrupt.state.plugins['b/b.php'] = {
        version: '1.0',
        newVersion: '1.1',
        updateFails: 'The package could not be unpacked.',
      };
      bag.allCorrupt.state.plugins[SHOP] = {
        version: '1.0',
        newVersion: '2.0',
        updateFails: 'No.',
      };
      bag.lying.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateLies: true };
      bag.noFiles.state.fileChangesDisabled = true;
      await bag.remoteOff.options.write({ service_enabled_services: [] });
      await bag.otherKey.options.write({ service_license_key: 'another' });
      bag.html.faults.answer = 'html';
      bag.wrongShape.faults.answer = 'wrong_shape';
      bag.hanging.faults.answer = 'hang';
      fleet.forget(bag.down.name);
      await pointElsewhere(bag.down.id, 'http://127.0.0.1:1/down');

      const ids = [...Object.values(bag).map(({ id }) => id), 999_999_999];
      const { body } = await owner.post(
        '/remote/update',
        { site_ids: ids },
        { headers: { prefer: 'wait=120' } },
      );
      const seen = Object.fromEntries(
        [...Object.keys(bag), 'nobody'].map((name, index) => {
          const { status, code, http_status } = body.results[index];
          return [name, [status, code, http_status]];
        }),
      );
      expect(seen).toEqual({
        good: ['succeeded', null, 200],
        corrupt: ['partial', null, 200],
        allCorrupt: ['failed', null, 200],
        lying: ['failed', null, 200],
        down: ['failed', 'site_unreachable', null],
        html: ['unknown', 'site_invalid_response', 200],
        wrongShape: ['unknown', 'site_invalid_response', 200],
        remoteOff: ['failed', 'remote_disabled', 403],
        otherKey: ['failed', 'site_rejected_key', 401],
        hanging: ['unknown', 'site_timeout', null],
        noFiles: ['failed', 'file_changes_disabled', 403],
        nobody: ['refused', 'site_not_found', null],
      });
      expect(body.success).toBe(false);
      for (const { id } of Object.values(bag)) {
        const records = await audit(id, 'remote_update');
        expect(records).toHaveLength(1);
        expect(records[0]?.context).toMatchObject({ run_id: body.run_id });
      }
    });
  });

  describe('400, and nothing is queued', () => {
    for (const [body, word] of [
      [{}, 'site_ids'],
      [{ site_ids: [] }, 'site_ids'],
      [{ site_ids: 5 }, 'site_ids'],
      [{ site_ids: ['1'] }, 'site_ids'],
      [{ site_ids: [-1] }, 'site_ids'],
      [{ site_ids: [0] }, 'site_ids'],
      [{ site_ids: [1.5] }, 'site_ids'],
      [{ site_ids: [2 ** 53] }, 'site_ids'],
      [{ site_ids: Array.from({ length: 10_001 }, (_, index) => index + 1) }, 'site_ids'],
      ['not json', 'JSON'],
      [[], 'object'],
    ] as const) {
      it(JSON.stringify(body).slice(0, 40), async () => {
        const before = await panel.db.selectFrom('runs').select('id').execute();
        const answer = await owner.call('POST', '/remote/update', body, {
          headers: { 'content-type': 'application/json' },
        });
        expect([answer.status, answer.body.success]).toEqual([400, false]);
        expect(answer.body.error).toContain(word);
        expect(await panel.db.selectFrom('runs').select('id').execute()).toEqual(before);
      });
    }
  });

  describe('who may', () => {
    it('leaves the sites of others alone, as if they were not there', async () => {
      const [mine, others] = [await newSite(), await newSite()];
      const manager = await newPerson(panel, 'manager');
      await owner.call('PUT', `/panel/users/${manager.id}/access/sites/${mine.id}`);
      const { body } = await manager.post('/remote/update', { site_ids: [others.id, mine.id] });
      expect(
        body.results.map(({ status, code }: { status: string; code: string }) => [status, code]),
      ).toEqual([
        ['refused', 'site_not_found'],
        ['succeeded', null],
      ]);
      expect(body.results[0].site_url).toBeNull();
      expect(others.calls).toEqual([]);
      const stranger = await newPerson(panel, 'manager');
      for (const path of ['', '/events']) {
        expect((await stranger.get(`/panel/runs/${body.run_id}${path}`)).status).toBe(404);
      }
      expect((await stranger.post(`/panel/runs/${body.run_id}/cancel`)).status).toBe(404);
      expect((await stranger.post(`/panel/runs/${body.run_id}/retry`)).status).toBe(404);
      expect((await stranger.get('/panel/runs')).body.runs).toEqual([]);
    });

    it('refuses viewers, people without a token, and people without a session', async () => {
      const site = await newSite();
      const viewer = await newPerson(panel, 'viewer');
      const ask = { site_ids: [site.id] };
      expect((await viewer.post('/remote/update', ask)).status).toBe(403);
      expect((await browser(panel, owner.cookie).post('/remote/update', ask)).body.code).toBe(
        'csrf_token_invalid',
      );
      expect((await browser(panel).post('/remote/update', ask)).body.code).toBe('unauthenticated');
      expect(site.calls).toEqual([]);
    });
  });

  it('does not call a site whose license is not valid, or that was deactivated', async () => {
    const [suspended, left] = [await newSite(), await newSite()];
    await left.agent.link.deactivate();
    const { id, license_key } = await panel.license({ siteLimit: 1 });
    await suspended.agent.link.activate(panelUrl, license_key);
    await panel.suspend(id);
    const other = await panel.db
      .selectFrom('sites')
      .select('id')
      .where('license_id', '=', id)
      .executeTakeFirstOrThrow();
    const { body } = await owner.post('/remote/update', { site_ids: [other.id, left.id] });
    for (const result of body.results)
      expect(result).toMatchObject({ status: 'refused', code: 'site_not_active' });
    expect([...suspended.calls, ...left.calls]).toEqual([]);
  });
});

describe('a call whose answer is lost', () => {
  it('is looked up: what was done counts as done', async () => {
    const site = await newSite();
    site.faults.answer = 'cut_after';
    const run = owner.post('/remote/update', { site_ids: [site.id] });
    await expect.poll(() => site.calls.includes('update')).toBe(true);
    delete site.faults.answer;
    expect((await run).body.results[0]).toMatchObject({
      status: 'succeeded',
      plugins: { updated: 1, failed: 0 },
    });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is looked up, and not asked for again, when a proxy makes a 503 of it', async () => {
    const site = await newSite();
    site.faults.answer = 'proxy_503_after';
    const run = owner.post('/remote/update', { site_ids: [site.id] });
    // A first sync is answered so as well; the panel has patience.
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.answer;
    expect((await run).body.results[0]).toMatchObject({
      status: 'succeeded',
      plugins: { updated: 1, failed: 0 },
    });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is looked up: what was not done is not repeated blindly, but said', async () => {
    const site = await newSite();
    site.faults.answer = 'cut';
    const run = owner.post(
      '/remote/update',
      { site_ids: [site.id] },
      { headers: { prefer: 'wait=60' } },
    );
    await expect
      .poll(async () => (await owner.get('/panel/runs')).body.runs[0].counts.unknown)
      .toBe(1);
    delete site.faults.answer;
    expect((await run).body.results[0]).toMatchObject({
      status: 'failed',
      code: 'site_unreachable',
    });
    expect(site.calls).not.toContain('update');
    expect(site.state.plugins[SHOP]?.version).toBe('1.0');
  });

  it('waits while the site is still at work', async () => {
    const site = await newSite();
    site.state.updateMs = 6000;
    // The panel gives up after five seconds; the site does not.
    const { body } = await owner.post(
      '/remote/update',
      { site_ids: [site.id] },
      { headers: { prefer: 'wait=60' } },
    );
    expect(body.results[0]).toMatchObject({ status: 'succeeded' });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });
});

describe('cancel and retry', () => {
  it('ends what has not begun, and finishes what has', async () => {
    const sites = await Promise.all(Array.from({ length: 40 }, () => newSite()));
    for (const site of sites) site.state.updateMs = 500;
    const prefer = { headers: { prefer: 'respond-async' } };
    const { body } = await owner.post(
      '/remote/update',
      { site_ids: sites.map(({ id }) => id) },
      prefer,
    );
    await expect.poll(() => sites.some(({ calls }) => calls.length > 0)).toBe(true);
    expect((await owner.post(`/panel/runs/${body.run_id}/cancel`)).status).toBe(200);
    const run = await finished(body.run_id);
    expect((run.counts.succeeded ?? 0) + (run.counts.cancelled ?? 0)).toBe(40);
    expect(run.counts.cancelled).toBeGreaterThan(0);
    expect(run.cancelled_at).not.toBeNull();
    const called = sites.filter(({ calls }) => calls.includes('update')).length;
    expect(called).toBe(run.counts.succeeded);
  });

  it('tries again only where something is left to do, as a new run', async () => {
    const [good, bad] = [await newSite(), await newSite()];
    bad.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateFails: 'No space left.' };
    const first = await owner.post('/remote/update', { site_ids: [good.id, bad.id] });
    bad.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0' };
    const second = await owner.post(`/panel/runs/${first.body.run_id}/retry`);
    expect(second.body).toMatchObject({ retry_of: first.body.run_id, total: 1, success: true });
    expect(second.body.results[0].site_id).toBe(bad.id);
    const third = await owner.post(`/panel/runs/${second.body.run_id}/retry`);
    expect([third.status, third.body.code]).toEqual([409, 'nothing_to_retry']);
  });
});

describe('never two at once on one site', () => {
  it('holds for several runs over the same sites', async () => {
    const sites = await Promise.all(Array.from({ length: 3 }, () => newSite()));
    for (const site of sites) site.state.updateMs = 100;
    const ids = sites.map(({ id }) => id);
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => owner.post('/remote/update', { site_ids: ids })),
    );
    for (const { body } of runs) expect(body.counts).toEqual({ succeeded: 3 });
    for (const { underWay, calls } of sites)
      expect([underWay.most, calls]).toEqual([1, Array(4).fill('update')]);
    expect(await panel.db.selectFrom('site_calls').selectAll().execute()).toEqual([]);
  });
});

describe('POST /remote/plugin-action', () => {
  it('does all four actions, and records each', async () => {
    const site = await newSite();
    for (const action of ['update', 'deactivate', 'activate', 'delete']) {
      const ask = { site_id: site.id, action, plugin: SHOP };
      const { status, body } = await owner.post('/remote/plugin-action', ask);
      expect([status, body]).toEqual([200, { success: true, ...ask }]);
    }
    expect(site.state.plugins[SHOP]).toBeUndefined();
    expect(
      (await audit(site.id, 'remote_plugin')).map(({ action, entity_id }) => [action, entity_id]),
    ).toEqual(['update', 'deactivate', 'activate', 'delete'].map((action) => [action, SHOP]));
  });

  it('says why not: every row of what can go wrong', async () => {
    const site = await newSite();
    const ask = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    const answer = async (change: object = {}) => {
      const { status, body } = await owner.post('/remote/plugin-action', { ...ask, ...change });
      return [status, body.code];
    };
    expect(await answer({ plugin: 'none/none.php' })).toEqual([404, 'plugin_not_found']);
    expect(await answer({ site_id: 999_999_999 })).toEqual([404, 'site_not_found']);
    site.state.plugins[SHOP] = {
      version: '1.0',
      active: false,
      activationFails: 'It needs PHP 9.',
    };
    expect(await answer({ action: 'activate' })).toEqual([500, 'action_failed']);
    const { body } = await owner.post('/remote/plugin-action', { ...ask, action: 'activate' });
    const attempt = await owner.get(`/panel/runs/${body.run_id}`);
    expect(attempt.body.results).toMatchObject([{ status: 'failed', error: 'It needs PHP 9.' }]);
    site.state.fileChangesDisabled = true;
    expect(await answer({ action: 'delete' })).toEqual([403, 'file_changes_disabled']);
    await site.options.write({ service_enabled_services: [] });
    expect(await answer()).toEqual([403, 'remote_disabled']);
    await site.options.write({
      service_enabled_services: ['remote'],
      service_license_key: 'other',
    });
    expect(await answer()).toEqual([502, 'site_rejected_key']);
    await site.options.write({ service_license_key: licenseKey });
    site.faults.answer = 'html';
    expect(await answer()).toEqual([502, 'site_invalid_response']);
    site.faults.answer = 'hang';
    expect(await answer()).toEqual([504, 'site_timeout']);
    delete site.faults.answer;
    site.state.updateMs = 800;
    site.state.plugins['b/b.php'] = { version: '1.0', newVersion: '2.0' };
    site.state.fileChangesDisabled = false;
    const busy = fetch(`${site.siteUrl}/cms-json/service/v1/remote/update`, {
      method: 'POST',
      headers: { 'x-service-key': licenseKey },
    });
    await expect.poll(() => site.underWay.now).toBe(1);
    expect(await answer()).toEqual([409, 'site_busy']);
    await busy;
    await site.agent.link.deactivate();
    expect(await answer()).toEqual([409, 'site_not_active']);
    await pointElsewhere(site.id, 'http://127.0.0.1:1/gone');
  });

  for (const [change, word] of [
    [{ action: 'explode' }, 'action'],
    [{ action: undefined }, 'action'],
    [{ plugin: '../../wp-config.php' }, 'plugin'],
    [{ plugin: 7 }, 'plugin'],
    [{ site_id: '1' }, 'site_id'],
    [{ site_id: -1 }, 'site_id'],
  ] as const) {
    it(`400 for ${JSON.stringify(change)}`, async () => {
      const ask = { site_id: 1, action: 'update', plugin: SHOP, ...change };
      const { status, body } = await owner.post('/remote/plugin-action', ask);
      expect(status).toBe(400);
      expect(body.error).toContain(word);
    });
  }
});

describe('GET /panel/runs/:id/events', () => {
  const follow = async (runId: number, lastEventId?: number) => {
    const response = await fetch(`${panelUrl}/panel/runs/${runId}/events`, {
      headers: {
        cookie: owner.cookie,
        ...(lastEventId && { 'last-event-id': String(lastEventId) }),
      },
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const text = await response.text();
    return text.split('\n\n').flatMap((block) => {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const id = /^id: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      return event && data ? [{ event, id: Number(id), data: JSON.parse(data) }] : [];
    });
  };

  it('tells each change as it happens, up to the end, and what was missed to who comes back', async () => {
    const sites = await Promise.all(Array.from({ length: 3 }, () => newSite()));
    for (const site of sites) site.state.updateMs = 200;
    const ids = sites.map(({ id }) => id);
    const prefer = { headers: { prefer: 'respond-async' } };
    const { body } = await owner.post('/remote/update', { site_ids: ids }, prefer);
    const events = await follow(body.run_id);
    expect(events.at(-1)?.event).toBe('end');
    const tasks = events.filter(({ event }) => event === 'task');
    const numbers = tasks.map(({ id }) => id);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    for (const id of ids) {
      expect(tasks.filter(({ data }) => data.site_id === id).at(-1)?.data.status).toBe('succeeded');
    }
    expect(tasks.some(({ data }) => data.status === 'running')).toBe(true);
    expect(events.findLast(({ event }) => event === 'run')?.data.counts).toEqual({ succeeded: 3 });

    const missed = await follow(body.run_id, numbers.at(-2));
    expect(missed.filter(({ event }) => event === 'task')).toHaveLength(1);
  });
});
