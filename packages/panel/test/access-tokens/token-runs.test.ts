import { newToken } from '@steward/testkit/panel/access-token.ts';
import { followRun } from '@steward/testkit/panel/event-stream.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';

const ASYNC = { headers: { prefer: 'respond-async' } };

describe('a run of an access token', () => {
  const fixture = useRunFixture({}, { timing: RARE_POLLS });

  it('updates the site, streams its events, and is in the audit log with the token', async () => {
    const { panel, panelUrl } = fixture;
    const site = await fixture.newSite();
    const manager = await newSignedInUser(panel, 'manager');
    await panel.services.siteAccess.grant(manager.id, { siteId: site.id }, OPERATOR);
    const token = await newToken(panel, manager, {
      name: 'ci',
      role: 'manager',
      actions: ['read', 'update'],
      access: { site_ids: [site.id] },
    });
    const { run_id } = (await token.post('/remote/update', { site_ids: [site.id] }, ASYNC)).body;
    const events = await (await followRun(panelUrl, run_id, token)).all();
    expect(events.at(-1)).toMatchObject({ event: 'end' });
    const { body } = await manager.get(`/panel/runs/${run_id}`);
    expect(body).toMatchObject({
      created_by: manager.id,
      token_name: 'ci',
      counts: { succeeded: 1 },
    });
    const { rows } = await panel.pool.query(
      `SELECT actor, context->'token' AS token FROM audit_log WHERE entity_type = 'remote_update' AND site_id = $1`,
      [site.id],
    );
    expect(rows).toEqual([{ actor: String(manager.id), token: { id: token.id, name: 'ci' } }]);
  });

  it('ends its stream when the token is revoked', async () => {
    const { panel, panelUrl, owner } = fixture;
    const site = await fixture.newSite();
    const token = await newToken(panel, owner, { actions: ['read', 'update'] });
    site.faults.response = 'hang';
    const { run_id } = (await token.post('/remote/update', { site_ids: [site.id] }, ASYNC)).body;
    const stream = await followRun(panelUrl, run_id, token);
    await owner.call('DELETE', `/panel/account/tokens/${token.id}`);
    const events = await stream.all();
    expect(events.map(({ event }) => event)).not.toContain('end');
    expect((await owner.get(`/panel/runs/${run_id}`)).body.status).toBe('running');
  });
});
