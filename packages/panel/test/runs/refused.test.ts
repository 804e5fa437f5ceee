import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { timing: RARE_POLLS });
const UNKNOWN_SITE = 999_999_999;

const withoutIds = ({ request_id: _, run_id: __, ...body }: Record<string, unknown>) => body;

describe('a task on a site without access', () => {
  it('is refused at once and recorded for owners', async () => {
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const [mine, others] = [await fixture.newSite(), await fixture.newSite()];
    const access = `/panel/users/${manager.id}/access/sites/${mine.id}`;
    await fixture.owner.call('PUT', access);
    const { body } = await manager.post('/remote/update', {
      site_ids: [others.id, mine.id, UNKNOWN_SITE],
    });
    const [refused, done, unknown] = body.results;
    expect(done.status).toBe('succeeded');
    expect(refused).toMatchObject({ status: 'refused', code: 'site_not_found', site_url: null });
    expect(refused.finished_at).toBe(fixture.panel.fakes.now.toISOString());
    // The user cannot tell it from a site that does not exist.
    expect({ ...refused, site_id: 0, task_id: 0 }).toEqual({ ...unknown, site_id: 0, task_id: 0 });

    expect(await fixture.readAudit(others.id, 'remote_update')).toEqual([
      {
        action: 'update',
        actor: String(manager.id),
        entity_type: 'remote_update',
        entity_id: String(others.id),
        context: expect.objectContaining({
          run_id: body.run_id,
          outcome: 'refused',
          code: 'site_not_found',
        }),
      },
    ]);
    expect(await fixture.readAudit(UNKNOWN_SITE, 'remote_update')).toEqual([]);
    const created = await fixture.panel.db
      .selectFrom('audit_log')
      .select('context')
      .where('entity_type', '=', 'run')
      .where('entity_id', '=', String(body.run_id))
      .executeTakeFirstOrThrow();
    expect(created.context).toMatchObject({ sites: 1, refused: 2 });
  });

  it('is also recorded for a single action and a sync', async () => {
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const site = await fixture.newSite();
    const act = (site_id: number) =>
      manager.post('/remote/plugin-action', { site_id, action: 'delete', plugin: SHOP });
    const [hidden, missing] = [await act(site.id), await act(UNKNOWN_SITE)];
    expect([hidden.status, hidden.body.code]).toEqual([404, 'site_not_found']);
    expect([hidden.status, withoutIds(hidden.body)]).toEqual([
      missing.status,
      withoutIds(missing.body),
    ]);
    await manager.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(await fixture.readAudit(site.id, 'remote_plugin')).toMatchObject([
      { action: 'delete', entity_id: SHOP, context: { outcome: 'refused', plugin: SHOP } },
    ]);
    expect(await fixture.readAudit(site.id, 'remote_site')).toMatchObject([
      { action: 'sync', context: { outcome: 'refused' } },
    ]);
    expect(site.calls).toEqual([]);
  });

  it('is in the history of the site for owners only', async () => {
    const [manager, stranger] = [
      await newSignedInUser(fixture.panel, 'manager'),
      await newSignedInUser(fixture.panel, 'manager'),
    ];
    const site = await fixture.newSite();
    await fixture.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${site.id}`);
    await stranger.post('/remote/update', { site_ids: [site.id] });
    const updates = async (who: typeof manager) => {
      const { history } = (await who.get(`/panel/sites/${site.id}/history`)).body;
      return history.filter((record: { action: string }) => record.action === 'update').length;
    };
    expect(await updates(manager)).toBe(0);
    expect(await updates({ ...manager, ...fixture.owner })).toBe(1);
  });
});
