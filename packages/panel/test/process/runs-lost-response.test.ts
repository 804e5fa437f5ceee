import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SUCCESS, startHttpSite } from '@steward/testkit/sites/fake-sites.ts';
import { failOnce, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const siteTimeouts = { connectSeconds: 5, actionSeconds: 8, updateSeconds: 8 };
const fixture = useRunFixture({ siteTimeouts }, { advancesClock: true });

describe('a call with a lost answer', () => {
  it('is reconciled: installed updates count as succeeded', async () => {
    const site = await fixture.newSite();
    site.faults.response = 'cut_after_work';
    const run = fixture.owner.post('/remote/update', { site_ids: [site.id] });
    await expect.poll(() => site.calls.includes('update')).toBe(true);
    delete site.faults.response;
    expect((await run).body.results[0]).toMatchObject({
      status: 'succeeded',
      plugins: { updated: 1, failed: 0 },
    });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is reconciled, not repeated, if a proxy replaces the response with a 503', async () => {
    const site = await fixture.newSite();
    site.faults.response = 'proxy_503_after_work';
    const run = fixture.owner.post('/remote/update', { site_ids: [site.id] });
    // The first sync gets a 503 too; the panel keeps trying.
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.response;
    expect((await run).body.results[0]).toMatchObject({
      status: 'succeeded',
      plugins: { updated: 1, failed: 0 },
    });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is reconciled if the site stops midway, after some updates', async () => {
    const site = await fixture.newSite();
    site.state.plugins['forms/forms.php'] = {
      version: '1.0',
      newVersion: '2.0',
      updateFails: 'It is too large.',
    };
    site.faults.response = 'died_after_work';
    const run = fixture.owner.post('/remote/update', { site_ids: [site.id] });
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.response;
    const { body } = await run;
    expect(body.results[0]).toMatchObject({
      status: 'partial',
      plugins: { updated: 1, failed: 1 },
      code: 'action_failed',
      error: expect.stringMatching(/^Out of memory\. /),
    });
    const [record] = await fixture.readAudit(site.id, 'remote_update');
    expect(record?.context).toMatchObject({ plugins: { updated: 1, failed: 1 } });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is reconciled: missing updates are reported, not repeated', async () => {
    const site = await fixture.newSite();
    failOnce(site.faults, 'cut');
    const { body } = await fixture.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({
      status: 'failed',
      code: 'site_unreachable',
      error: expect.stringMatching(/was lost .* no updates were installed\. Try again\.$/),
    });
    expect(site.calls).not.toContain('update');
    expect(site.state.plugins[SHOP]?.version).toBe('1.0');
  });

  it('stays unknown if the site responds to a sync but sends no report', async () => {
    const site = await fixture.newSite();
    const unreporting = await startHttpSite((request, response) =>
      response.end(request.url?.endsWith('/sync') ? SUCCESS : 'A page.'),
    );
    await fixture.setSiteUrl(site.id, unreporting.url);
    const { body } = await fixture.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({
      status: 'unknown',
      code: 'site_invalid_response',
      http_status: 200,
      details: null,
      error: expect.stringContaining('has not reported'),
    });
    // Nothing was changed, but the panel cannot know that.
    const request = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    const response = await fixture.owner.post('/remote/plugin-action', request);
    expect([response.status, response.body.code]).toEqual([502, 'site_invalid_response']);
    expect(response.body.error).toContain('The site may have changed.');
    expect((await fixture.owner.get(`/panel/sites/${site.id}`)).body.site.fault).toBeNull();
  });

  it('waits while the site is still working', async () => {
    const site = await fixture.newSite();
    site.state.updateMs = 2500;
    // The call times out after two seconds; the site continues.
    const { body } = await fixture.owner.post(
      '/remote/update',
      { site_ids: [site.id] },
      { headers: { prefer: 'wait=60' } },
    );
    expect(body.results[0]).toMatchObject({ status: 'succeeded' });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });
});

describe('a site that is down', () => {
  const startDownSite = () =>
    startHttpSite((_request, response) => void response.writeHead(500).end('Oops'));

  it('is synced once and shown as not reachable', async () => {
    const { url } = await startDownSite();
    const site = await fixture.newSite();
    await fixture.setSiteUrl(site.id, url);
    const { body } = await fixture.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({
      status: 'unknown',
      code: 'site_down',
      error: expect.stringMatching(
        /responded with status 500.* It responded to Steward with an error/,
      ),
    });
    const details = (await fixture.owner.get(`/panel/sites/${site.id}`)).body.site;
    expect(details).toMatchObject({ status: 'not_reachable', fault: { code: 'site_down' } });
  });

  it('is shown as not reachable after a sync', async () => {
    const { url } = await startDownSite();
    const site = await fixture.newSite();
    await fixture.setSiteUrl(site.id, url);
    await fixture.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    const details = (await fixture.owner.get(`/panel/sites/${site.id}`)).body.site;
    expect(details).toMatchObject({ status: 'not_reachable' });
  });

  it('has not changed if its own plugin reports that it is down', async () => {
    const body = { success: false, code: 'site_down', error: 'The site is down: a PHP error.' };
    const { url } = await startHttpSite(
      (_request, response) => void response.writeHead(500).end(JSON.stringify(body)),
    );
    const site = await fixture.newSite();
    await fixture.setSiteUrl(site.id, url);
    const { results } = (await fixture.owner.post('/remote/update', { site_ids: [site.id] })).body;
    expect(results[0]).toMatchObject({ status: 'failed', code: 'site_down', error: body.error });
  });
});
