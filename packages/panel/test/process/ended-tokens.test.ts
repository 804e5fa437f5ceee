import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { NIGHTLY, scheduleHelpers } from '../schedules/support/schedule-helpers.ts';

const fixture = useRunFixture();
const { setNow, pass, read, runsOf } = scheduleHelpers(fixture);

const limitedToken = (user: Person, siteIds: number[]) =>
  newToken(fixture.panel, user, {
    role: 'manager',
    actions: ['read', 'rollouts', 'schedules'],
    access: { site_ids: siteIds },
  });
const revoke = (user: Person, tokenId: number) =>
  user.call('DELETE', `/panel/account/tokens/${tokenId}`);

describe('a rollout of a site-limited token that was revoked', () => {
  it('halts, and continues with the access of the user who resumes it', async () => {
    const { panel, owner } = fixture;
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const siteIds = sites.map(({ id }) => id);
    const manager = await newSignedInUser(panel, 'manager');
    for (const siteId of siteIds) {
      await panel.services.siteAccess.grant(manager.id, { siteId }, OPERATOR);
    }
    const token = await limitedToken(manager, siteIds);
    const { body } = await token.post('/panel/rollouts', {
      site_ids: siteIds,
      items: [{ type: 'plugin', slug: SHOP, version: '2.0' }],
      rings: [{ name: 'First', percent: 50 }, { name: 'Rest' }],
      settings: { soak_minutes: 60 },
    });
    const path = `/panel/rollouts/${body.rollout.rollout_id}`;
    const readRollout = async () => (await owner.get(path)).body.rollout;
    const status = async () => (await readRollout()).status;
    await expect.poll(status).toBe('soaking');
    await revoke(manager, token.id);
    await owner.post(`${path}/end-soak`);
    await expect.poll(status).toBe('halted');
    expect((await readRollout()).halt_reason).toMatch(/access token .* may no longer update sites/);

    const atCommandLine = panel.services.rollouts.resume(
      { id: 0, role: 'owner' },
      body.rollout.rollout_id,
      OPERATOR,
    );
    await expect(atCommandLine).rejects.toThrow(/Sign in to the panel and resume the rollout/);

    expect((await manager.post(`${path}/resume`)).status).toBe(200);
    await expect
      .poll(() => sites.map((site) => site.state.plugins[SHOP]?.version))
      .toEqual(['2.0', '2.0']);
    const { created_by, origin } = await panel.db
      .selectFrom('runs')
      .select(['created_by', 'origin'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect([created_by, origin]).toEqual([
      manager.id,
      expect.objectContaining({ actor: String(manager.id) }),
    ]);
    expect(origin).not.toHaveProperty('token');
  });
});

describe('a schedule of a site-limited token that was revoked', () => {
  it('explains why it did not start', async () => {
    setNow('2026-06-01T12:00Z');
    const site = await fixture.newSite();
    const manager = await newSignedInUser(fixture.panel, 'manager');
    await fixture.panel.services.siteAccess.grant(manager.id, { siteId: site.id }, OPERATOR);
    const token = await limitedToken(manager, [site.id]);
    const { status, body } = await token.post('/panel/schedules', NIGHTLY);
    expect(status, JSON.stringify(body)).toBe(200);
    await revoke(manager, token.id);
    await pass('2026-06-02T00:00:00Z');
    const id = body.schedule.schedule_id;
    expect(await runsOf(id)).toEqual([]);
    expect((await read(id)).last_error_code).toBe('token_ended');
  });
});
