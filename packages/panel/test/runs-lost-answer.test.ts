import { describe, expect, it } from 'vitest';
import { useRunScene } from './support/run-scene.ts';
import { SHOP } from './support/site-fleet.ts';

const scene = useRunScene();

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
    site.faults.answer = 'cut';
    const run = scene.owner.post(
      '/remote/update',
      { site_ids: [site.id] },
      { headers: { prefer: 'wait=60' } },
    );
    await expect
      .poll(async () => (await scene.owner.get('/panel/runs')).body.runs[0].counts.unknown)
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
    const site = await scene.newSite();
    site.state.updateMs = 6000;
    // The panel gives up after five seconds; the site does not.
    const { body } = await scene.owner.post(
      '/remote/update',
      { site_ids: [site.id] },
      { headers: { prefer: 'wait=60' } },
    );
    expect(body.results[0]).toMatchObject({ status: 'succeeded' });
    expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
  });
});
