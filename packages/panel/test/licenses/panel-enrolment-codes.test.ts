import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, OPERATOR, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('/panel/licenses/:id/enrolment-codes', () => {
  const { panel, owner } = usePanelWithOwner();
  const path = (id: number) => `/panel/licenses/${id}/enrolment-codes`;

  it('creates codes that are returned once, with an audit record that does not contain them', async () => {
    const { id } = await panel.license();
    const { status, body, headers } = await owner.post(path(id), { count: 3 });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const codes = body.enrolment_codes as { id: number; code: string; expires_at: string }[];
    expect(new Set(codes.map(({ code }) => code)).size).toBe(3);
    const expiresAt = new Date(panel.fakes.now.getTime() + DAY_MS).toISOString();
    for (const { code, expires_at } of codes) {
      expect([code, expires_at]).toEqual([
        expect.stringMatching(/^STWE(-[0-9A-Z]{7}){4}$/),
        expiresAt,
      ]);
    }
    const list = await owner.get(path(id));
    expect(list.body.enrolment_codes).toEqual(
      codes
        .map((code) => ({
          id: code.id,
          code_last_six: code.code.slice(-6),
          status: 'open',
          created_at: panel.fakes.now.toISOString(),
          expires_at: expiresAt,
          used_at: null,
          site: null,
        }))
        .reverse(),
    );
    const records = await listAuditRecords(panel, 'license', id);
    expect(records[1]).toMatchObject({
      action: 'create_enrolment_codes',
      actor: String(owner.id),
      context: { enrolment_code_ids: codes.map((code) => code.id) },
    });
    for (const { code } of codes) expect(JSON.stringify([records, list.body])).not.toContain(code);
  });

  it('creates one code without a count', async () => {
    const { id } = await panel.license();
    expect((await owner.post(path(id), {})).body.enrolment_codes).toHaveLength(1);
  });

  it('lists the site that used a code', async () => {
    const { id } = await panel.license();
    const { body } = await owner.post(path(id), {});
    const site_url = newSiteUrl();
    const { body: site } = await panel.post('/api/v1/license/activate', {
      ...{ license_key: body.enrolment_codes[0].code, site_url, ...VERSIONS },
      capabilities: ['site_key', 'signed_calls'],
    });
    expect((await owner.get(path(id))).body.enrolment_codes).toMatchObject([
      {
        status: 'used',
        used_at: panel.fakes.now.toISOString(),
        site: { id: site.activation.site_id, url: site_url },
      },
    ]);
  });

  it('revokes a code, with an audit record', async () => {
    const { id } = await panel.license();
    const { body } = await owner.post(path(id), { count: 2 });
    const codeId = body.enrolment_codes[0].id;
    expect((await owner.call('DELETE', `/panel/enrolment-codes/${codeId}`)).status).toBe(200);
    expect((await owner.get(path(id))).body.enrolment_codes).toHaveLength(1);
    expect((await listAuditRecords(panel, 'license', id)).at(-1)).toMatchObject({
      action: 'revoke_enrolment_code',
      context: { enrolment_code_id: codeId, was_used: false },
    });
    expect((await owner.call('DELETE', `/panel/enrolment-codes/${codeId}`)).status).toBe(404);
  });

  it('refuses invalid counts, an unknown license and users who are not owners', async () => {
    const { id } = await panel.license();
    for (const count of [0, 101, 1.5, '2']) {
      expect((await owner.post(path(id), { count })).status).toBe(400);
    }
    expect((await owner.post(path(999_999), {})).status).toBe(404);
    expect((await owner.get(path(999_999))).status).toBe(404);
    const manager = await newSignedInUser(panel, 'manager');
    expect((await manager.post(path(id), {})).status).toBe(403);
    expect((await manager.get(path(id))).status).toBe(403);
  });

  it('deletes unused codes 30 days after they expired, and keeps used ones', async () => {
    const [old, other] = [await panel.license(), await panel.license()];
    const [used] = await panel.services.enrolmentCodes.create(old.id, 2, OPERATOR);
    await panel.post('/api/v1/license/activate', {
      ...{ license_key: used?.code, site_url: newSiteUrl(), ...VERSIONS },
      capabilities: ['site_key', 'signed_calls'],
    });
    const shown = async () => (await panel.services.enrolmentCodes.list(old.id)).length;
    const start = panel.fakes.now.getTime();
    for (const [days, left] of [
      [30, 2],
      [32, 1],
    ] as const) {
      panel.fakes.now = new Date(start + days * DAY_MS);
      await panel.services.enrolmentCodes.create(other.id, 1, OPERATOR);
      expect(await shown()).toBe(left);
    }
  });

  it('needs a recent confirmation to create codes', async () => {
    const { id } = await panel.license();
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 60 * 60 * 1000);
    const late = await newSignedInUser(panel, 'owner');
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 60 * 60 * 1000);
    const { status, body } = await late.post(path(id), {});
    expect([status, body.code]).toEqual([403, 'confirmation_required']);
  });
});
