import { browser, newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

// Short timeouts for hanging sites.
const siteTimeouts = { connectSeconds: 5, actionSeconds: 8, updateSeconds: 8 };
const fixture = useRunFixture({ siteTimeouts });

describe('POST /remote/update', () => {
  describe('200', () => {
    it('updates the sites in the order of the ids and records each', async () => {
      const [a, b] = [await fixture.newSite(), await fixture.newSite()];
      const { status, body } = await fixture.owner.post('/remote/update', {
        site_ids: [b.id, a.id, b.id],
      });
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
      expect(await fixture.readAudit(a.id, 'remote_update')).toEqual([
        {
          action: 'update',
          actor: String(fixture.owner.id),
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

    it('counts plugins, themes and core separately in the result and the record', async () => {
      const site = await fixture.newSite({
        plugins: { [SHOP]: { version: '1.0', newVersion: '2.0', active: true } },
        themes: {
          plain: { version: '1.0', newVersion: '1.1' },
          fancy: { version: '1.0', newVersion: '1.1' },
          broken: { version: '1.0', newVersion: '1.1', updateFails: 'No room.' },
        },
        core: { version: '6.0', newVersion: '6.1' },
      });
      const counts = {
        plugins: { updated: 1, failed: 0 },
        themes: { updated: 2, failed: 1 },
        core: { updated: 1, failed: 0 },
      };
      const { body } = await fixture.owner.post('/remote/update', { site_ids: [site.id] });
      expect(body.results).toMatchObject([{ status: 'partial', ...counts }]);
      expect([site.state.themes.plain?.version, site.state.core.version]).toEqual(['1.1', '6.1']);
      expect(await fixture.readAudit(site.id, 'remote_update')).toEqual([
        {
          action: 'update',
          actor: String(fixture.owner.id),
          entity_type: 'remote_update',
          entity_id: String(site.id),
          context: {
            ...{ via: 'panel', run_id: body.run_id, outcome: 'partial', ...counts },
            items: expect.arrayContaining([
              expect.objectContaining({ type: 'theme', slug: 'plain', outcome: 'succeeded' }),
              expect.objectContaining({ type: 'theme', outcome: 'failed', reason: 'No room.' }),
              {
                type: 'core',
                slug: 'core',
                old_version: '6.0',
                new_version: '6.1',
                outcome: 'succeeded',
              },
            ]),
          },
        },
      ]);
    });

    it('responds 202 at once if requested, and finishes later', async () => {
      const site = await fixture.newSite();
      site.state.updateMs = 300;
      const prefer = { headers: { prefer: 'respond-async' } };
      const started = await fixture.owner.post('/remote/update', { site_ids: [site.id] }, prefer);
      expect([started.status, started.body.status]).toEqual([202, 'running']);
      const ended = await fixture.waitForRun(started.body.run_id);
      expect(ended).toMatchObject({ status: 'finished', counts: { succeeded: 1 }, success: true });
    });

    it('waits no longer than requested', async () => {
      const site = await fixture.newSite();
      const release = holdCalls(site);
      const response = await fixture.owner.post(
        '/remote/update',
        { site_ids: [site.id] },
        { headers: { prefer: 'wait=0' } },
      );
      expect(response.status).toBe(202);
      release();
      expect((await fixture.waitForRun(response.body.run_id)).success).toBe(true);
    });

    it('returns a status and code per site', async () => {
      const sites = {
        good: await fixture.newSite(),
        corrupt: await fixture.newSite(),
        allCorrupt: await fixture.newSite(),
        lying: await fixture.newSite(),
        down: await fixture.newSite(),
        html: await fixture.newSite(),
        wrongShape: await fixture.newSite(),
        remoteOff: await fixture.newSite(),
        otherKey: await fixture.newSite(),
        hanging: await fixture.newSite(),
        noFiles: await fixture.newSite(),
      };
      sites.corrupt.state.plugins['b/b.php'] = {
        version: '1.0',
        newVersion: '1.1',
        updateFails: 'The package could not be unpacked.',
      };
      sites.allCorrupt.state.plugins[SHOP] = {
        version: '1.0',
        newVersion: '2.0',
        updateFails: 'No.',
      };
      sites.lying.state.plugins[SHOP] = {
        version: '1.0',
        newVersion: '2.0',
        updateHasNoEffect: true,
      };
      sites.noFiles.state.fileChangesDisabled = true;
      await sites.remoteOff.options.write({ service_enabled_services: [] });
      await sites.otherKey.options.write({ service_license_key: 'another' });
      sites.html.faults.response = 'html';
      sites.wrongShape.faults.response = 'wrong_shape';
      sites.hanging.faults.response = 'hang';
      fixture.fleet.remove(sites.down.name);
      await fixture.setSiteUrl(sites.down.id, 'http://127.0.0.1:1/down');

      const ids = [...Object.values(sites).map(({ id }) => id), 999_999_999];
      const { body } = await fixture.owner.post(
        '/remote/update',
        { site_ids: ids },
        { headers: { prefer: 'wait=120' } },
      );
      const outcomes = Object.fromEntries(
        [...Object.keys(sites), 'unknown'].map((name, index) => {
          const { status, code, http_status } = body.results[index];
          return [name, [status, code, http_status]];
        }),
      );
      expect(outcomes).toEqual({
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
        unknown: ['refused', 'site_not_found', null],
      });
      expect(body.success).toBe(false);
      for (const [index, { id }] of Object.values(sites).entries()) {
        const { status, code, error, http_status } = body.results[index];
        const { plugins, themes, core, details } = body.results[index];
        expect(await fixture.readAudit(id, 'remote_update')).toEqual([
          {
            action: 'update',
            actor: String(fixture.owner.id),
            entity_type: 'remote_update',
            entity_id: String(id),
            context: {
              ...{ via: 'panel', run_id: body.run_id, outcome: status, plugins, themes, core },
              ...(code && { code, error, http_status }),
              ...(details && { items: expect.any(Array) }),
            },
          },
        ]);
      }
    });
  });

  describe('400 without queueing anything', () => {
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
        const before = await fixture.panel.db.selectFrom('runs').select('id').execute();
        const response = await fixture.owner.call('POST', '/remote/update', body, {
          headers: { 'content-type': 'application/json' },
        });
        expect([response.status, response.body.success]).toEqual([400, false]);
        expect(response.body.error).toContain(word);
        expect(await fixture.panel.db.selectFrom('runs').select('id').execute()).toEqual(before);
      });
    }
  });

  describe('access', () => {
    it('treats sites without access as unknown', async () => {
      const [mine, others] = [await fixture.newSite(), await fixture.newSite()];
      const manager = await newSignedInUser(fixture.panel, 'manager');
      await fixture.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${mine.id}`);
      const { body } = await manager.post('/remote/update', { site_ids: [others.id, mine.id] });
      expect(
        body.results.map(({ status, code }: { status: string; code: string }) => [status, code]),
      ).toEqual([
        ['refused', 'site_not_found'],
        ['succeeded', null],
      ]);
      expect(body.results[0].site_url).toBeNull();
      expect(others.calls).toEqual([]);
      const stranger = await newSignedInUser(fixture.panel, 'manager');
      for (const path of ['', '/events']) {
        expect((await stranger.get(`/panel/runs/${body.run_id}${path}`)).status).toBe(404);
      }
      const missing = await fixture.owner.get('/panel/runs/4000000');
      expect([missing.status, missing.body.code]).toEqual([404, 'run_not_found']);
      expect((await stranger.post(`/panel/runs/${body.run_id}/cancel`)).status).toBe(404);
      expect((await stranger.post(`/panel/runs/${body.run_id}/retry`)).status).toBe(404);
      expect((await stranger.get('/panel/runs')).body.runs).toEqual([]);
    });

    it('hides the result of a site from a user who has lost access', async () => {
      const [kept, lost] = [await fixture.newSite(), await fixture.newSite()];
      const manager = await newSignedInUser(fixture.panel, 'manager');
      const grants = `/panel/users/${manager.id}/access/sites`;
      for (const { id } of [kept, lost]) await fixture.owner.call('PUT', `${grants}/${id}`);
      const { body } = await manager.post('/remote/update', { site_ids: [kept.id, lost.id] });
      expect(body.counts).toEqual({ succeeded: 2 });
      await fixture.owner.call('DELETE', `${grants}/${lost.id}`);

      const nothing = { updated: 0, failed: 0 };
      const hidden = {
        site_id: lost.id,
        site_url: null,
        status: 'refused',
        code: 'site_not_found',
        http_status: null,
        plugins: nothing,
        details: null,
      };
      const shown = { site_id: kept.id, site_url: kept.siteUrl, status: 'succeeded' };
      const { results } = (await manager.get(`/panel/runs/${body.run_id}`)).body;
      expect(results).toMatchObject([shown, hidden]);
      const events = await fixture.panel.app.inject({
        url: `/panel/runs/${body.run_id}/events`,
        headers: { cookie: manager.cookie },
      });
      expect(events.body).toContain(kept.siteUrl);
      expect(events.body).not.toContain(lost.siteUrl);
      // Owners see everything.
      const all = (await fixture.owner.get(`/panel/runs/${body.run_id}`)).body.results;
      expect(all).toMatchObject([shown, { site_url: lost.siteUrl, status: 'succeeded' }]);
    });

    it('refuses viewers, requests without a CSRF token, and requests without a session', async () => {
      const site = await fixture.newSite();
      const viewer = await newSignedInUser(fixture.panel, 'viewer');
      const request = { site_ids: [site.id] };
      expect((await viewer.post('/remote/update', request)).status).toBe(403);
      expect(
        (await browser(fixture.panel, fixture.owner.cookie).post('/remote/update', request)).body
          .code,
      ).toBe('csrf_token_invalid');
      expect((await browser(fixture.panel).post('/remote/update', request)).body.code).toBe(
        'unauthenticated',
      );
      expect(site.calls).toEqual([]);
    });
  });

  it('does not call a deactivated site or a site with an invalid license', async () => {
    const [suspended, left] = [await fixture.newSite(), await fixture.newSite()];
    await left.agent.panelClient.deactivate();
    const { id, license_key } = await fixture.panel.license({ siteLimit: 1 });
    await suspended.agent.panelClient.activate(fixture.panelUrl, license_key);
    await fixture.panel.suspend(id);
    const other = await fixture.panel.db
      .selectFrom('sites')
      .select('id')
      .where('license_id', '=', id)
      .executeTakeFirstOrThrow();
    const { body } = await fixture.owner.post('/remote/update', { site_ids: [other.id, left.id] });
    for (const result of body.results)
      expect(result).toMatchObject({ status: 'refused', code: 'site_not_active' });
    expect([...suspended.calls, ...left.calls]).toEqual([]);
  });
});

/** The default is 30 seconds, which four runs can need on a busy machine. */
const WAIT_LONGER = { headers: { prefer: 'wait=120' } };

describe('concurrent runs over the same sites', () => {
  it('never call a site twice at once', async () => {
    const sites = await Promise.all(Array.from({ length: 3 }, () => fixture.newSite()));
    for (const site of sites) site.state.updateMs = 100;
    const ids = sites.map(({ id }) => id);
    const runs = await Promise.all(
      Array.from({ length: 4 }, () =>
        fixture.owner.post('/remote/update', { site_ids: ids }, WAIT_LONGER),
      ),
    );
    for (const { body } of runs) expect(body.counts).toEqual({ succeeded: 3 });
    for (const { inFlight, calls } of sites)
      expect([inFlight.most, calls]).toEqual([1, Array(4).fill('update')]);
    expect(await fixture.panel.db.selectFrom('site_calls').selectAll().execute()).toEqual([]);
  });
});
