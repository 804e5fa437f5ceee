import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, OPERATOR, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeEach, describe, expect, it } from 'vitest';

const OWN_KEY = { capabilities: ['site_key', 'signed_calls'] };
const HOUR_MS = 60 * 60 * 1000;
const USED = [401, 'enrolment_code_used'];

describe('an enrolment code', () => {
  const { panel } = usePanelWithOwner();
  let license: { id: number; license_key: string };
  let code: string;
  let site_url: string;

  const newCode = async (id = license.id) =>
    (await panel.services.enrolmentCodes.create(id, 1, OPERATOR))[0]?.code ?? '';
  const call = (path: string, body: object = {}) =>
    panel.post(`/api/v1/${path}`, { license_key: code, site_url, ...VERSIONS, ...body });
  const activate = (body: object = {}) => call('license/activate', { ...OWN_KEY, ...body });
  const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [
    status,
    body.code,
  ];
  const codesInList = () => panel.services.enrolmentCodes.list(license.id);
  const wait = (hours: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + hours * HOUR_MS);
  };

  beforeEach(async () => {
    license = await panel.license({ siteLimit: 3 });
    code = await newCode();
    site_url = newSiteUrl();
  });

  it('gives a site its token, site key and signing key, and is then used', async () => {
    const { status, body } = await activate();
    expect([status, body]).toMatchObject([
      200,
      {
        site_key: expect.stringMatching(/^STWS-/),
        activation_token: expect.stringMatching(/^stwt_/),
        signing_key: { public_key: expect.any(String) },
        license: { sites_used: 1 },
      },
    ]);
    expect(body.is_proof_pending).toBeUndefined();
    expect((await call('license/check', { license_key: body.site_key })).status).toBe(200);
    const { site_id } = body.activation;
    expect(await codesInList()).toMatchObject([
      { status: 'used', site: { id: site_id, url: site_url }, code_last_six: code.slice(-6) },
    ]);
    const { license_key_encrypted } = await panel.db
      .selectFrom('license_activations')
      .selectAll()
      .where('site_id', '=', site_id)
      .executeTakeFirstOrThrow();
    expect(license_key_encrypted).toBeNull();
  });

  it('is stored only as a hash, and its id is in the audit record of the activation', async () => {
    const { body } = await activate();
    const rows = await panel.db.selectFrom('enrolment_codes').selectAll().execute();
    expect(
      rows.some(({ code_hash }) => code_hash.toString('hex') === panel.secrets.fingerprint(code)),
    ).toBe(true);
    const records = await panel.db
      .selectFrom('audit_log')
      .select(['action', 'context'])
      .where('site_id', '=', body.activation.site_id)
      .execute();
    expect(records).toMatchObject([
      { action: 'activate', context: { enrolment_code_id: expect.any(Number) } },
    ]);
    const all = await panel.db.selectFrom('audit_log').selectAll().execute();
    expect(JSON.stringify([rows.map(({ code_hash, ...row }) => row), all])).not.toContain(code);
  });

  it('accepts any spelling, as a license key does', async () => {
    expect((await activate({ license_key: ` ${code.toLowerCase()} ` })).status).toBe(200);
  });

  it('is refused with its own error for another site, also after 24 hours', async () => {
    await activate();
    expect(outcome(await activate({ site_url: newSiteUrl() }))).toEqual(USED);
    wait(25);
    expect(outcome(await activate({ site_url: newSiteUrl() }))).toEqual(USED);
  });

  it('connects exactly one of 20 sites that use it at the same time', async () => {
    license = await panel.license({ siteLimit: null });
    code = await newCode();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => activate({ site_url: newSiteUrl() })),
    );
    const outcomes = responses.map(outcome);
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1);
    expect(outcomes.filter(([status]) => status !== 200)).toEqual(Array(19).fill(USED));
    expect((await panel.services.licenses.show(license.id)).sites_used).toBe(1);
  });

  it('expires after 24 hours', async () => {
    wait(23.9);
    expect((await activate()).status).toBe(200);
    code = await newCode();
    wait(24);
    expect(outcome(await activate({ site_url: newSiteUrl() }))).toEqual([
      401,
      'enrolment_code_expired',
    ]);
    expect(await codesInList()).toMatchObject([{ status: 'expired' }, { status: 'used' }]);
  });

  it('works in no other endpoint, also after it was used', async () => {
    for (const isUsed of [false, true]) {
      if (isUsed) await activate();
      for (const path of [
        ...['license/validate', 'license/check', 'site/verify', 'license/deactivate'],
      ]) {
        expect([path, ...outcome(await call(path))]).toEqual([path, 401, 'invalid_license_key']);
      }
    }
  });

  it('requires a site key, and stays unused without one', async () => {
    for (const capabilities of [undefined, [], ['site_key'], ['signed_calls']]) {
      expect(outcome(await activate({ capabilities }))).toEqual([403, 'site_key_required']);
    }
    expect(await codesInList()).toMatchObject([{ status: 'open', site: null }]);
    expect((await activate()).status).toBe(200);
  });

  it('is unknown after it was revoked', async () => {
    const [listed] = await codesInList();
    await panel.services.enrolmentCodes.revoke(listed?.id ?? 0, OPERATOR);
    expect(outcome(await activate())).toEqual([401, 'invalid_license_key']);
  });

  describe('sent again by the same site', () => {
    it('returns credentials that need the proof of address, while the site has no key', async () => {
      const { body: lost } = await activate();
      const { status, body } = await activate();
      expect([status, body]).toMatchObject([200, { is_proof_pending: true }]);
      expect(body.site_key).not.toBe(lost.site_key);
      expect(body.license.sites_used).toBe(1);
      // A second lost answer changes nothing.
      expect((await activate()).body.is_proof_pending).toBe(true);
      expect(await codesInList()).toHaveLength(1);
    });

    it('is refused after the site has used its key', async () => {
      const { body } = await activate();
      await call('license/check', { license_key: body.site_key });
      expect(outcome(await activate())).toEqual(USED);
    });

    it('is refused after the address was proven', async () => {
      const { body } = await activate();
      await panel.db
        .updateTable('license_activations')
        .set({ proven_at: panel.fakes.now })
        .where('site_id', '=', body.activation.site_id)
        .execute();
      expect(outcome(await activate())).toEqual(USED);
    });

    it('is refused after the site was disconnected', async () => {
      const { body } = await activate();
      await panel.services.activations.release(license.id, body.activation.site_id, OPERATOR);
      expect(outcome(await activate())).toEqual(USED);
    });

    it('is refused after 24 hours', async () => {
      await activate();
      wait(24);
      expect(outcome(await activate())).toEqual([401, 'enrolment_code_expired']);
    });
  });

  describe('of a connected site', () => {
    it('connects a new installation after the proof of address, also after a lost answer', async () => {
      const { body: first } = await activate();
      const credentials = { license_key: first.site_key };
      await call('license/check', credentials);
      wait(1);
      code = await newCode();
      expect((await activate()).body.is_proof_pending).toBe(true);
      // The previous installation still checks in with its key.
      expect((await call('license/check', credentials)).status).toBe(200);
      expect((await activate()).body.is_proof_pending).toBe(true);
    });

    it('connects again a site that was disconnected, and can be repeated', async () => {
      const { body } = await activate();
      await call('license/check', { license_key: body.site_key });
      wait(1);
      await panel.services.activations.release(license.id, body.activation.site_id, OPERATOR);
      code = await newCode();
      const again = await activate();
      expect([again.status, again.body.is_proof_pending]).toEqual([200, undefined]);
      expect((await activate()).body.is_proof_pending).toBe(true);
    });
  });

  describe('and its license', () => {
    it('is refused at the site limit and stays unused', async () => {
      license = await panel.license({ siteLimit: 1 });
      const codes = [await newCode(), await newCode()];
      expect((await activate({ license_key: codes[0] })).status).toBe(200);
      const second = { license_key: codes[1], site_url: newSiteUrl() };
      expect(outcome(await activate(second))).toEqual([403, 'site_limit_reached']);
      await panel.services.licenses.setLimit(license.id, 2, OPERATOR);
      expect((await activate(second)).status).toBe(200);
    });

    it('is refused at the limit of seat moves', async () => {
      license = await panel.license({ siteLimit: 1 });
      for (let site = 0; site < 6; site++) {
        const moved = await activate({ license_key: await newCode(), site_url: newSiteUrl() });
        expect(moved.status).toBe(200);
        const { site_id } = moved.body.activation;
        await panel.services.activations.release(license.id, site_id, OPERATOR);
      }
      code = await newCode();
      expect(outcome(await activate())).toEqual([403, 'seat_moves_exhausted']);
      expect((await codesInList())[0]).toMatchObject({ status: 'open' });
    });

    it('is refused while the license is suspended, and after it was revoked', async () => {
      await panel.services.licenses.suspend(license.id, OPERATOR);
      expect(outcome(await activate())).toEqual([403, 'license_suspended']);
      await panel.services.licenses.resume(license.id, OPERATOR);
      expect((await activate()).status).toBe(200);
      code = await newCode();
      await panel.services.licenses.revoke(license.id, OPERATOR);
      expect(outcome(await activate({ site_url: newSiteUrl() }))).toEqual([403, 'license_revoked']);
      await expect(newCode()).rejects.toMatchObject({ code: 'license_revoked' });
    });

    it('works after the license key was replaced', async () => {
      await panel.services.keyRotation.rotate(license.id, { oldKeyDays: 0 }, OPERATOR);
      expect((await activate()).status).toBe(200);
    });
  });
});
