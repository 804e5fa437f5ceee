import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const OPERATOR = { actor: 'system', via: 'command_line' } as const;

describe('the audit log', () => {
  const panel = useTestPanel();

  const listRecords = (entityType: string, entityId: number) =>
    panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('entity_type', '=', entityType)
      .where('entity_id', '=', String(entityId))
      .orderBy('id')
      .execute();

  it('has one record for each change of a license, and none without a change', async () => {
    const { id } = await panel.license();
    const { licenses } = panel.services;
    await licenses.suspend(id, OPERATOR);
    await licenses.suspend(id, OPERATOR);
    await licenses.resume(id, OPERATOR);
    await licenses.extend(id, new Date('2030-01-01T00:00:00Z'), OPERATOR);
    await licenses.setLimit(id, 9, OPERATOR);
    await licenses.setLimit(id, 9, OPERATOR);
    await licenses.revoke(id, OPERATOR);
    const records = await listRecords('license', id);
    expect(records.map(({ action }) => action)).toEqual([
      'create',
      'suspend',
      'resume',
      'extend',
      'set_limit',
      'revoke',
    ]);
    expect(records[4]).toMatchObject({
      actor: 'system',
      at: panel.fakes.now,
      context: { from: 3, to: 9, via: 'command_line' },
    });
  });

  it('has one record for each activation and deactivation, with IP address and request id', async () => {
    const { license_key, id } = await panel.license();
    const request = { license_key, site_url: newSiteUrl(), ...VERSIONS };
    const { body } = await panel.post('/api/v1/license/activate', request);
    await panel.post('/api/v1/license/activate', request);
    await panel.post('/api/v1/license/check', request);
    await panel.post('/api/v1/license/deactivate', request);
    await panel.post('/api/v1/license/deactivate', request);
    const siteId = body.activation.site_id;
    const records = await listRecords('activation', siteId);
    expect(records.map(({ action }) => action)).toEqual(['activate', 'deactivate']);
    expect(records[0]).toMatchObject({
      site_id: siteId,
      ip: '127.0.0.1',
      request_id: expect.any(String),
      context: { license_id: id, counted: true, via: 'license_api' },
    });
  });

  it('has one record for each site that a revocation disconnects', async () => {
    const { id, license_key } = await panel.license();
    for (let site = 0; site < 3; site++) {
      await panel.post('/api/v1/license/activate', {
        license_key,
        site_url: newSiteUrl(),
        ...VERSIONS,
      });
    }
    await panel.revoke(id);
    const { rows } = await panel.pool.query(
      `SELECT count(*) AS count FROM audit_log WHERE action = 'deactivate' AND (context->>'license_id')::bigint = $1`,
      [id],
    );
    expect(rows[0].count).toBe(3);
    expect((await panel.services.licenses.show(id)).sites_used).toBe(0);
  });

  it('is written in the transaction of the change', async () => {
    const { id } = await panel.license();
    await panel.executeAsTableOwner(
      'ALTER TABLE audit_log ADD CONSTRAINT full_up CHECK (false) NOT VALID',
    );
    await expect(panel.suspend(id)).rejects.toThrow('full_up');
    await panel.executeAsTableOwner('ALTER TABLE audit_log DROP CONSTRAINT full_up');
    expect((await panel.services.licenses.show(id)).status).toBe('inactive');
  });

  for (const statement of [
    "UPDATE audit_log SET actor = 'another actor'",
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
  ]) {
    it(`refuses ${statement}`, async () => {
      await expect(panel.pool.query(statement)).rejects.toThrow('permission denied');
      await expect(panel.executeAsTableOwner(statement)).rejects.toThrow('append-only');
    });
  }
});
