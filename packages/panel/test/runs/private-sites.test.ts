import { createServer } from 'node:http';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { standIn } from '@steward/testkit/sites/stand-in-sites.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

/** Whoever has a license says where their site is. That must not lead the panel to what is inside. */

const scene = useRunScene({ allowPrivateSites: false });

const notCalled = {
  code: 'site_unreachable',
  http_status: null,
  error: expect.stringContaining('ALLOW_PRIVATE_SITES'),
};

/** A site that was activated, at an address of this machine where somebody counts who connects. */
async function siteInside(host = '127.0.0.1') {
  const { port, connections } = await standIn(createServer());
  const site = await scene.newSite();
  await scene.pointElsewhere(site.id, `http://${host}:${port}/shop`);
  return { ...site, connections };
}

describe('a site inside, without ALLOW_PRIVATE_SITES', () => {
  it('is not connected to by POST /remote/update, and the records say why', async () => {
    const sites = [await siteInside(), await siteInside('localhost')];
    const { status, body } = await scene.owner.post('/remote/update', {
      site_ids: sites.map(({ id }) => id),
    });
    expect([status, body.success, body.counts]).toEqual([200, false, { failed: 2 }]);
    for (const [index, { id, connections, calls }] of sites.entries()) {
      expect(body.results[index]).toMatchObject({ site_id: id, status: 'failed', ...notCalled });
      expect([connections(), calls]).toEqual([0, []]);
      const none = { updated: 0, failed: 0 };
      expect(await scene.audit(id, 'remote_update')).toEqual([
        {
          action: 'update',
          actor: String(scene.owner.id),
          entity_type: 'remote_update',
          entity_id: String(id),
          context: expect.objectContaining({
            run_id: body.run_id,
            outcome: 'failed',
            ...notCalled,
            plugins: none,
            themes: none,
            core: none,
          }),
        },
      ]);
    }
  });

  it('is not connected to by POST /remote/plugin-action: 502, and the record says why', async () => {
    const site = await siteInside();
    const ask = { site_id: site.id, action: 'delete', plugin: SHOP };
    const { status, body } = await scene.owner.post('/remote/plugin-action', ask);
    expect([status, body]).toEqual([
      502,
      {
        success: false,
        code: 'site_unreachable',
        error: notCalled.error,
        request_id: expect.any(String),
        run_id: expect.any(Number),
      },
    ]);
    expect([site.connections(), site.calls]).toEqual([0, []]);
    expect(await scene.audit(site.id, 'remote_plugin')).toEqual([
      {
        action: 'delete',
        actor: String(scene.owner.id),
        entity_type: 'remote_plugin',
        entity_id: SHOP,
        context: expect.objectContaining({
          run_id: body.run_id,
          outcome: 'failed',
          plugin: SHOP,
          ...notCalled,
        }),
      },
    ]);
  });

  it('is not connected to by a sync', async () => {
    const site = await siteInside();
    const { body } = await scene.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(body.results).toMatchObject([{ status: 'failed', ...notCalled }]);
    expect(site.connections()).toBe(0);
  });

  it('is not connected to at an endpoint that it has reported itself', async () => {
    const site = await siteInside();
    await scene.panel.db
      .updateTable('sites')
      .set(({ ref, fn }) => ({
        endpoint_url: fn<string>('concat', [ref('url'), sql.lit('/?rest_route=/service/v1/')]),
      }))
      .where('id', '=', site.id)
      .execute();
    const { body } = await scene.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results).toMatchObject([{ status: 'failed', ...notCalled }]);
    expect(site.connections()).toBe(0);
  });
});
