import {
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
} from '@steward/testkit/panel/licensed-sites.ts';
import {
  newSignedInUser,
  type Person,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

describe('GET /panel/sites/:id', () => {
  const { panel, owner } = usePanelWithOwner();

  it('returns the inventory, the license and the history, newest first', async () => {
    const license = await newLicenseWithSites(panel);
    const report = inventory({ plugins: ['forms'], core: true });
    for (const item of [...report.plugins, report.core]) item.auto_update = true;
    const { id, url } = await license.addSite({ inventory: report });
    await owner.call('PUT', `/panel/sites/${id}/tags`, { tags: ['North'] });
    const { status, body } = await owner.get(`/panel/sites/${id}`);
    expect(status).toBe(200);
    expect(body.site).toMatchObject({
      id,
      url,
      status: 'updates',
      fault: null,
      remote: { possible: true, obstacle: null },
      pending: { plugins: 1, themes: 0, core: 1 },
      tags: ['North'],
      endpoint_url: `${url}/cms-json/service/v1/`,
      unproven_endpoint_url: null,
      inventory: report,
      license: {
        id: license.id,
        key_last_six: license.key_last_six,
        status: 'active',
        plan: { name: 'Agency', slug: 'agency' },
        services: ['remote'],
        expires_at: null,
      },
      activation: { status: 'active', deactivated_at: null },
    });
    expect(JSON.stringify(body)).not.toContain(license.license_key);
    expect(body.history).toMatchObject([
      {
        action: 'tag',
        entity_type: 'site',
        actor: String(owner.id),
        actor_name: expect.any(String),
      },
      {
        action: 'activate',
        entity_type: 'activation',
        actor: 'system',
        actor_name: null,
        license_name: `Agency (…${license.key_last_six})`,
      },
    ]);
    expect(body.next_before).toBeNull();
  });

  it('returns a site that never reported, and a deactivated site', async () => {
    const license = await newLicenseWithSites(panel);
    const { id, url } = await license.addSite({ inventory: null });
    const neverSynced = await owner.get(`/panel/sites/${id}`);
    expect(neverSynced.body.site).toMatchObject({ status: 'never_synced', inventory: null });
    await license.deactivate(url);
    const { body } = await owner.get(`/panel/sites/${id}`);
    expect(body.site).toMatchObject({
      status: 'deactivated',
      remote: { possible: false, obstacle: 'deactivated' },
      activation: { status: 'deactivated', deactivated_at: panel.fakes.now.toISOString() },
    });
  });

  it('returns a site whose license is suspended', async () => {
    const license = await newLicenseWithSites(panel);
    const { id } = await license.addSite();
    await panel.suspend(license.id);
    const { body } = await owner.get(`/panel/sites/${id}`);
    expect(body.site).toMatchObject({
      status: 'license_invalid',
      remote: { possible: false, obstacle: 'license_invalid' },
      license: { id: license.id, status: 'suspended' },
    });
  });

  it('pages through a long history', async () => {
    const { id } = await (await newLicenseWithSites(panel)).addSite();
    await panel.pool.query(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, site_id, context)
       SELECT now(), 'system', 'n' || n, 'activation', '1', $1, '{}' FROM generate_series(1, 60) n`,
      [id],
    );
    const first = await owner.get(`/panel/sites/${id}`);
    expect(first.body.history).toHaveLength(50);
    expect(first.body.history[0].action).toBe('n60');
    const { body } = await owner.get(`/panel/sites/${id}/history?before=${first.body.next_before}`);
    expect(body.history).toHaveLength(11);
    expect(body.history[0].action).toBe('n10');
    expect(body.next_before).toBeNull();
  });

  it('shows access grants in the history to owners only', async () => {
    const { id } = await (await newLicenseWithSites(panel)).addSite();
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: id }]);
    const actions = async (who: Pick<Person, 'get'>) =>
      (await who.get(`/panel/sites/${id}`)).body.history.map(
        ({ action }: { action: string }) => action,
      );
    expect(await actions(owner)).toEqual(['grant', 'activate']);
    expect(await actions(viewer)).toEqual(['activate']);
  });

  it('names an earlier license of the site to owners only', async () => {
    const other = await newLicenseWithSites(panel);
    const { id } = await (await newLicenseWithSites(panel)).addSite();
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: id }]);
    await panel.pool.query(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, site_id, context)
       VALUES (now(), 'system', 'deactivate', 'activation', $1::bigint, $1::bigint, jsonb_build_object('license_id', $2::bigint))`,
      [id, other.id],
    );
    const licensesFor = async (who: Pick<Person, 'get'>) =>
      (await who.get(`/panel/sites/${id}/history`)).body.history
        .filter((record: { entity_type: string }) => record.entity_type === 'activation')
        .map(({ license_name }: { license_name: string | null }) => license_name);
    const present = expect.stringMatching(/^Agency \(…\w{6}\)$/);
    expect(await licensesFor(owner)).toEqual([`Agency (…${other.key_last_six})`, present]);
    expect(await licensesFor(manager)).toEqual([null, present]);
  });

  it('responds to a hidden site exactly as to a missing one: 404', async () => {
    const { id } = await (await newLicenseWithSites(panel)).addSite();
    const stranger = await newSignedInUser(panel, 'manager');
    const respond = async (path: string) => {
      const { status, body } = await stranger.get(path);
      return [status, { ...body, request_id: '' }];
    };
    for (const path of ['', '/history']) {
      const hidden = await respond(`/panel/sites/${id}${path}`);
      expect(hidden).toEqual(await respond(`/panel/sites/999999${path}`));
      expect(hidden).toMatchObject([404, { code: 'site_not_found' }]);
    }
    await panel.services.siteAccess.grant(stranger.id, { siteId: id }, OPERATOR);
    expect((await stranger.get(`/panel/sites/${id}`)).status).toBe(200);
  });

  it('responds 400 to an invalid id', async () => {
    for (const path of ['abc', '0', '-1', '1e3', `1/history?before=x`]) {
      expect((await owner.get(`/panel/sites/${path}`)).status).toBe(400);
    }
  });
});
