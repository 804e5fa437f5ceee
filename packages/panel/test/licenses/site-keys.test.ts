import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeEach, describe, expect, it } from 'vitest';

const OWN_KEY = { capabilities: ['site_key', 'signed_calls'] };

describe('a site with a site key', () => {
  const panel = useTestPanel();
  let license_key: string;
  let site_url: string;
  let site: { token: string; key: string; id: number };

  const call = (path: string, body: object) =>
    panel.post(`/api/v1/${path}`, { ...VERSIONS, site_url, ...body });
  const activate = (body: object) => call('license/activate', { license_key, ...body });
  const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [
    status,
    body.code,
  ];
  const row = () =>
    panel.db
      .selectFrom('license_activations as a')
      .innerJoin('sites as s', 's.id', 'a.site_id')
      .selectAll()
      .where('a.site_id', '=', site.id)
      .executeTakeFirstOrThrow();
  const audited = async () =>
    (
      await panel.db
        .selectFrom('audit_log')
        .select('action')
        .where('site_id', '=', site.id)
        .orderBy('id')
        .execute()
    ).map(({ action }) => action);

  beforeEach(async () => {
    ({ license_key } = await panel.license({ siteLimit: 5 }));
    site_url = newSiteUrl();
    const { body } = await activate(OWN_KEY);
    site = { token: body.activation_token, key: body.site_key, id: body.activation.site_id };
  });

  it('gets its key and the signing key of the panel, and the panel stores no license key for it', async () => {
    expect(site.key).toMatch(/^STWS(-[0-9A-Z]{7}){4}$/);
    const { body } = await activate({ ...OWN_KEY, activation_token: site.token });
    expect(body).toMatchObject({
      site_key: site.key,
      activation_token: site.token,
      signing_key: { public_key: expect.stringMatching(/^[\w+/]{43}=$/) },
    });
    const { license_key_encrypted, site_key_encrypted } = await row();
    expect(license_key_encrypted).toBeNull();
    expect(panel.secrets.decrypt(site_key_encrypted ?? Buffer.of(), 'site_key')).toBe(site.key);
  });

  it('uses the site key instead of the license key', async () => {
    const as = { license_key: site.key, activation_token: site.token };
    for (const path of ['license/validate', 'license/check', 'site/verify']) {
      const { status, body } = await call(path, as);
      expect([path, status, body.activation?.site_id]).toEqual([path, 200, site.id]);
    }
    expect((await call('license/deactivate', as)).status).toBe(200);
    // An owner may have disconnected the site, so its key cannot activate it again.
    expect(outcome(await call('license/activate', { ...as, ...OWN_KEY }))).toEqual([
      404,
      'site_not_activated',
    ]);
  });

  it('cannot be checked in, verified or deactivated with the license key', async () => {
    for (const path of ['license/check', 'site/verify', 'license/deactivate']) {
      expect([path, ...outcome(await call(path, { license_key }))]).toEqual([
        path,
        401,
        'invalid_license_key',
      ]);
    }
    expect((await row()).status).toBe('active');
  });

  it('still gets responses while another caller uses the license key', async () => {
    const ownCredentials = { license_key: site.key, activation_token: site.token };
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call('license/check', index % 2 === 0 ? ownCredentials : { license_key }),
      ),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? 200 : 401)));
  });

  it('cannot use its key for another site', async () => {
    const other = newSiteUrl();
    await activate({ ...OWN_KEY, site_url: other });
    for (const path of [
      'license/validate',
      'license/check',
      'site/verify',
      'license/deactivate',
      'license/activate',
    ]) {
      const response = await call(path, { license_key: site.key, site_url: other, ...OWN_KEY });
      expect([path, ...outcome(response)]).toEqual([path, 401, 'invalid_license_key']);
    }
  });

  it('does not expose its token and key to a caller with only the license key', async () => {
    const { body } = await activate(OWN_KEY);
    expect(body).toMatchObject({ is_proof_pending: true });
    expect(body.activation_token).not.toBe(site.token);
    expect(body.site_key).not.toBe(site.key);
    // The credentials of the caller are not valid, and those of the site still work.
    for (const path of [
      'license/validate',
      'license/check',
      'site/verify',
      'license/activate',
      'license/deactivate',
    ]) {
      const attackerCredentials = {
        license_key: body.site_key,
        activation_token: body.activation_token,
      };
      expect([path, ...outcome(await call(path, { ...OWN_KEY, ...attackerCredentials }))]).toEqual([
        path,
        403,
        'address_not_proven',
      ]);
    }
    for (const path of ['license/check', 'site/verify']) {
      const ownCredentials = { license_key: site.key, activation_token: site.token };
      expect((await call(path, ownCredentials)).status).toBe(200);
    }
    expect(await audited()).toEqual(['activate', 'enrol_again']);
  });

  it('cannot return to the license key by omitting capabilities', async () => {
    expect(outcome(await activate({}))).toEqual([403, 'site_has_own_key']);
    expect(outcome(await activate({ activation_token: site.token }))).toEqual([
      403,
      'site_has_own_key',
    ]);
    expect((await row()).site_key_hash).not.toBeNull();
    expect(outcome(await call('license/check', { license_key }))[0]).toBe(401);
  });

  it('cannot use the key of a pending enrolment after its license is revoked', async () => {
    const { site_key } = (await activate(OWN_KEY)).body;
    const check = () => call('license/check', { license_key: site_key });
    expect(outcome(await check())).toEqual([403, 'address_not_proven']);
    await panel.revoke((await row()).license_id);
    expect(outcome(await check())).toEqual([401, 'invalid_license_key']);
  });

  it('keeps its new key if the proof of address ends while the panel looks for the key', async () => {
    for (const path of ['license/check', 'site/verify']) {
      const { site_key } = (await activate(OWN_KEY)).body;
      const other = await panel.pool.connect();
      await other.query('BEGIN');
      await other.query('LOCK TABLE enrolments IN ACCESS EXCLUSIVE MODE');
      const checkIn = call(path, { license_key: site_key });
      // The proof of address in the background waits for the table too, so the test waits for this query.
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND query LIKE 'select "site_id" from "enrolments" where "site_key_hash"%'`;
      await expect.poll(async () => (await panel.pool.query(waiting)).rowCount).toBe(1);
      await other.query(
        `UPDATE license_activations a
         SET site_key_hash = e.site_key_hash, site_key_encrypted = e.site_key_encrypted, proven_at = now()
         FROM enrolments e WHERE e.site_id = a.site_id AND a.site_id = $1`,
        [site.id],
      );
      await other.query('DELETE FROM enrolments WHERE site_id = $1', [site.id]);
      await other.query('COMMIT');
      other.release();
      expect([path, ...outcome(await checkIn)]).toEqual([path, 403, 'address_not_proven']);
      expect((await call(path, { license_key: site_key })).status).toBe(200);
    }
  });

  it('is refused with a wrong token', async () => {
    const wrong = { ...OWN_KEY, activation_token: `${site.token.slice(0, -1)}_` };
    expect(outcome(await activate(wrong))).toEqual([401, 'invalid_activation_token']);
  });

  it('reports whether it accepts unsigned calls, and the panel audits each change', async () => {
    const report = (accepts_unsigned_calls?: boolean) =>
      call('site/verify', { license_key: site.key, accepts_unsigned_calls });
    await report(true);
    await report(true);
    await report();
    expect(await row()).toMatchObject({ accepts_unsigned_calls: true });
    await report(false);
    expect(await row()).toMatchObject({ accepts_unsigned_calls: false });
    expect((await audited()).slice(-2)).toEqual(['accept_unsigned_calls', 'require_signed_calls']);
  });
});

describe('a site that uses the license key', () => {
  const panel = useTestPanel();

  it('gets a site key only after proof of address, because any caller can get its token', async () => {
    const { license_key } = await panel.license();
    const request = { license_key, site_url: newSiteUrl(), ...VERSIONS };
    const activate = (more: object) =>
      panel.post('/api/v1/license/activate', { ...request, ...more });
    const plain = await activate({});
    expect(plain.body.site_key).toBeUndefined();
    const { activation_token } = plain.body;
    expect((await activate({})).body.activation_token).toBe(activation_token);
    for (const token of [{}, { activation_token }]) {
      const { body } = await activate({ ...OWN_KEY, ...token });
      expect(body).toMatchObject({
        site_key: expect.stringMatching(/^STWS-/),
        is_proof_pending: true,
      });
    }
    // Until the proof, the site uses the license key.
    const check = await panel.post('/api/v1/license/check', { ...request, activation_token });
    expect(check.status).toBe(200);
  });

  it('is not downgraded from https to http; other changes of its address are audited', async () => {
    const { license_key } = await panel.license();
    const host = new URL(newSiteUrl()).host;
    const activate = (site_url: string) =>
      panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
    const { body } = await activate(`http://${host}`);
    const siteId = body.activation.site_id;
    expect((await activate(`https://www.${host}`)).body.activation.site_url).toBe(
      `https://www.${host}`,
    );
    const downgraded = await activate(`http://${host}`);
    expect(downgraded.status).toBe(200);
    expect(downgraded.body.activation.site_url).toBe(`https://www.${host}`);
    const records = await panel.db
      .selectFrom('audit_log')
      .select(['action', 'context'])
      .where('site_id', '=', siteId)
      .orderBy('id')
      .execute();
    expect(records).toMatchObject([
      { action: 'activate' },
      {
        action: 'change_address',
        context: { before: `http://${host}`, after: `https://www.${host}` },
      },
    ]);
  });
});
