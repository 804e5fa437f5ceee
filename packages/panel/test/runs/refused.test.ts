import { newPerson } from '@steward/testkit/panel/people.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const scene = useRunScene();
const NOBODY = 999_999_999;

const withoutIds = ({ request_id: _, run_id: __, ...body }: Record<string, unknown>) => body;

describe('an attempt on a site of somebody else', () => {
  it('ends at once as refused, and is recorded for owners', async () => {
    const manager = await newPerson(scene.panel, 'manager');
    const [mine, others] = [await scene.newSite(), await scene.newSite()];
    const access = `/panel/users/${manager.id}/access/sites/${mine.id}`;
    await scene.owner.call('PUT', access);
    const { body } = await manager.post('/remote/update', {
      site_ids: [others.id, mine.id, NOBODY],
    });
    const [refused, done, nobody] = body.results;
    expect(done.status).toBe('succeeded');
    expect(refused).toMatchObject({ status: 'refused', code: 'site_not_found', site_url: null });
    expect(refused.finished_at).toBe(scene.panel.edges.now.toISOString());
    // To whoever asked it is the same as one that does not exist.
    expect({ ...refused, site_id: 0, task_id: 0 }).toEqual({ ...nobody, site_id: 0, task_id: 0 });

    expect(await scene.audit(others.id, 'remote_update')).toEqual([
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
    expect(await scene.audit(NOBODY, 'remote_update')).toEqual([]);
    const created = await scene.panel.db
      .selectFrom('audit_log')
      .select('context')
      .where('entity_type', '=', 'run')
      .where('entity_id', '=', String(body.run_id))
      .executeTakeFirstOrThrow();
    expect(created.context).toMatchObject({ sites: 1, refused: 2 });
  });

  it('is recorded for a single action and a sync too, under their own names', async () => {
    const manager = await newPerson(scene.panel, 'manager');
    const site = await scene.newSite();
    const ask = (site_id: number) =>
      manager.post('/remote/plugin-action', { site_id, action: 'delete', plugin: SHOP });
    const [hidden, missing] = [await ask(site.id), await ask(NOBODY)];
    expect([hidden.status, hidden.body.code]).toEqual([404, 'site_not_found']);
    expect([hidden.status, withoutIds(hidden.body)]).toEqual([
      missing.status,
      withoutIds(missing.body),
    ]);
    await manager.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(await scene.audit(site.id, 'remote_plugin')).toMatchObject([
      { action: 'delete', entity_id: SHOP, context: { outcome: 'refused', plugin: SHOP } },
    ]);
    expect(await scene.audit(site.id, 'remote_site')).toMatchObject([
      { action: 'sync', context: { outcome: 'refused' } },
    ]);
    expect(site.calls).toEqual([]);
  });

  it('is in the history of the site for owners alone', async () => {
    const [manager, stranger] = [
      await newPerson(scene.panel, 'manager'),
      await newPerson(scene.panel, 'manager'),
    ];
    const site = await scene.newSite();
    await scene.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${site.id}`);
    await stranger.post('/remote/update', { site_ids: [site.id] });
    const updates = async (who: typeof manager) => {
      const { history } = (await who.get(`/panel/sites/${site.id}/history`)).body;
      return history.filter((record: { action: string }) => record.action === 'update').length;
    };
    expect(await updates(manager)).toBe(0);
    expect(await updates({ ...manager, ...scene.owner })).toBe(1);
  });
});
