import { createServer } from 'node:http';
import { RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { startFakeSite } from '@steward/testkit/sites/fake-sites.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

/** A site chooses its own URL. It must not direct the panel to internal addresses. */

const fixture = useRunFixture({ allowPrivateSites: false }, { timing: RARE_POLLS });

const notCalled = {
  code: 'site_unreachable',
  http_status: null,
  error: expect.stringContaining('ALLOW_PRIVATE_SITES'),
};

/** Creates a connected site at an internal address whose server counts connections. */
async function createInternalSite(host = '127.0.0.1') {
  const { port, connections } = await startFakeSite(createServer());
  const site = await fixture.newSite();
  await fixture.setSiteUrl(site.id, `http://${host}:${port}/shop`);
  return { ...site, connections };
}

describe('a site at an internal address, without ALLOW_PRIVATE_SITES', () => {
  it('is not called by POST /remote/update; the audit record gives the reason', async () => {
    const sites = [await createInternalSite(), await createInternalSite('localhost')];
    const { status, body } = await fixture.owner.post('/remote/update', {
      site_ids: sites.map(({ id }) => id),
    });
    expect([status, body.success, body.counts]).toEqual([200, false, { failed: 2 }]);
    for (const [index, { id, connections, calls }] of sites.entries()) {
      expect(body.results[index]).toMatchObject({ site_id: id, status: 'failed', ...notCalled });
      expect([connections(), calls]).toEqual([0, []]);
      const none = { updated: 0, failed: 0 };
      expect(await fixture.readAudit(id, 'remote_update')).toEqual([
        {
          action: 'update',
          actor: String(fixture.owner.id),
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

  it('is not called by POST /remote/plugin-action: 502; the audit record gives the reason', async () => {
    const site = await createInternalSite();
    const request = { site_id: site.id, action: 'delete', plugin: SHOP };
    const { status, body } = await fixture.owner.post('/remote/plugin-action', request);
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
    expect(await fixture.readAudit(site.id, 'remote_plugin')).toEqual([
      {
        action: 'delete',
        actor: String(fixture.owner.id),
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

  it('is not called by a sync', async () => {
    const site = await createInternalSite();
    const { body } = await fixture.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(body.results).toMatchObject([{ status: 'failed', ...notCalled }]);
    expect(site.connections()).toBe(0);
  });

  it('is not called at its reported endpoint', async () => {
    const site = await createInternalSite();
    await fixture.panel.db
      .updateTable('sites')
      .set(({ ref, fn }) => ({
        endpoint_url: fn<string>('concat', [ref('url'), sql.lit('/?rest_route=/service/v1/')]),
      }))
      .where('id', '=', site.id)
      .execute();
    const { body } = await fixture.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results).toMatchObject([{ status: 'failed', ...notCalled }]);
    expect(site.connections()).toBe(0);
  });
});
