import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { failOnce, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { httpSite, SUCCESS } from '@steward/testkit/sites/stand-in-sites.ts';
import { describe, expect, it } from 'vitest';

const siteTimeouts = { connectSeconds: 2, actionSeconds: 2, updateSeconds: 2 };
const scene = useRunScene({ siteTimeouts }, { timeGoesOn: true });

describe('a call whose answer is lost', () => {
  it('is looked up: what was done counts as done', async () => {
    const site = await scene.newSite();
    site.faults.answer = 'cut_after';
    const run = scene.owner.post('/remote/update', { site_ids: [site.id] });
    await expect.poll(() => site.calls.includes('update')).toBe(true);
    delete site.faults.answer;
    expect((await run).body.results[0]).toMatchObject({
      status: 'succeeded',
      plugins: { updated: 1, failed: 0 },
    });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is looked up, and not asked for again, when a proxy makes a 503 of it', async () => {
    const site = await scene.newSite();
    site.faults.answer = 'proxy_503_after';
    const run = scene.owner.post('/remote/update', { site_ids: [site.id] });
    // A first sync is answered so as well; the panel has patience.
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.answer;
    expect((await run).body.results[0]).toMatchObject({
      status: 'succeeded',
      plugins: { updated: 1, failed: 0 },
    });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is looked up when the site breaks off in the middle: it may have done much before', async () => {
    const site = await scene.newSite();
    site.state.plugins['forms/forms.php'] = {
      version: '1.0',
      newVersion: '2.0',
      updateFails: 'It is too large.',
    };
    site.faults.answer = 'died_after';
    const run = scene.owner.post('/remote/update', { site_ids: [site.id] });
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.answer;
    const { body } = await run;
    expect(body.results[0]).toMatchObject({
      status: 'partial',
      plugins: { updated: 1, failed: 1 },
      code: 'action_failed',
      error: expect.stringMatching(/^Out of memory\. /),
    });
    const [record] = await scene.audit(site.id, 'remote_update');
    expect(record?.context).toMatchObject({ plugins: { updated: 1, failed: 1 } });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  it('is looked up: what was not done is not repeated blindly, but said', async () => {
    const site = await scene.newSite();
    failOnce(site.faults, 'cut');
    const { body } = await scene.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({
      status: 'failed',
      code: 'site_unreachable',
      error: expect.stringMatching(/was lost .* no update was made\. Try again\.$/),
    });
    expect(site.calls).not.toContain('update');
    expect(site.state.plugins[SHOP]?.version).toBe('1.0');
  });

  it('stays unknown when the site answers a sync, but reports nothing', async () => {
    const site = await scene.newSite();
    const mute = await httpSite((request, response) =>
      response.end(request.url?.endsWith('/sync') ? SUCCESS : 'A page.'),
    );
    await scene.pointElsewhere(site.id, mute.url);
    const { body } = await scene.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({
      status: 'unknown',
      code: 'site_invalid_response',
      http_status: 200,
      details: null,
      error: expect.stringContaining('has not reported'),
    });
    // It was updated by nobody, but neither is that known.
    const ask = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    const answer = await scene.owner.post('/remote/plugin-action', ask);
    expect([answer.status, answer.body.code]).toEqual([502, 'site_invalid_response']);
    expect(answer.body.error).toContain('What was asked may have been done.');
    expect((await scene.owner.get(`/panel/sites/${site.id}`)).body.site.fault).toBeNull();
  });

  it('waits while the site is still at work', async () => {
    const site = await scene.newSite();
    site.state.updateMs = 2500;
    // The panel gives up after two seconds; the site does not.
    const { body } = await scene.owner.post(
      '/remote/update',
      { site_ids: [site.id] },
      { headers: { prefer: 'wait=60' } },
    );
    expect(body.results[0]).toMatchObject({ status: 'succeeded' });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });
});

describe('a site that is dead', () => {
  const dead = () => httpSite((_request, response) => void response.writeHead(500).end('Oops'));

  it('is asked once more and given up, and looks dead', async () => {
    const { url } = await dead();
    const site = await scene.newSite();
    await scene.pointElsewhere(site.id, url);
    const { body } = await scene.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({
      status: 'unknown',
      code: 'site_down',
      error: expect.stringMatching(/answered with status 500.* The site is down now/),
    });
    const details = (await scene.owner.get(`/panel/sites/${site.id}`)).body.site;
    expect(details).toMatchObject({ status: 'not_reachable', fault: { code: 'site_down' } });
  });

  it('looks dead after a sync', async () => {
    const { url } = await dead();
    const site = await scene.newSite();
    await scene.pointElsewhere(site.id, url);
    await scene.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    const details = (await scene.owner.get(`/panel/sites/${site.id}`)).body.site;
    expect(details).toMatchObject({ status: 'not_reachable' });
  });

  it('has done nothing when its own plugin says that it is down', async () => {
    const body = { success: false, code: 'site_down', error: 'The site is down: a PHP error.' };
    const { url } = await httpSite(
      (_request, response) => void response.writeHead(500).end(JSON.stringify(body)),
    );
    const site = await scene.newSite();
    await scene.pointElsewhere(site.id, url);
    const { results } = (await scene.owner.post('/remote/update', { site_ids: [site.id] })).body;
    expect(results[0]).toMatchObject({ status: 'failed', code: 'site_down', error: body.error });
  });
});
