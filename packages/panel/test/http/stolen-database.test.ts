import { registerSecret } from '@steward/testkit/logs.ts';
import { newToken } from '@steward/testkit/panel/access-token.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, OPERATOR, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expect, it } from 'vitest';

const { panel, owner } = usePanelWithOwner();

/** All rows of all tables, as an attacker with a copy of the database reads them. */
async function readDatabase(): Promise<string> {
  const { rows } = await panel.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const texts = rows.map(({ name }) => panel.pool.query(`SELECT t::text AS row FROM ${name} t`));
  return (await Promise.all(texts)).flatMap((table) => table.rows.map(({ row }) => row)).join('\n');
}

/** Creates one secret of each kind. */
async function createSecretsOfAllKinds(): Promise<Record<string, string>> {
  const license = await panel.license();
  const { license_key } = license;
  const site = { license_key, site_url: newSiteUrl(), ...VERSIONS };
  const capabilities = ['site_key', 'signed_calls'];
  const { body } = await panel.post('/api/v1/license/activate', { ...site, capabilities });
  const again = await panel.post('/api/v1/license/activate', { ...site, capabilities });
  expect(again.body.is_proof_pending).toBe(true);
  const plain = { license_key, site_url: newSiteUrl(), ...VERSIONS };
  await panel.post('/api/v1/license/activate', plain);
  const [code] = await panel.services.enrolmentCodes.create(license.id, 1, OPERATOR);
  const login = { username: 'web-user', password: 'web-login-password' };
  const path = `/panel/sites/${body.activation.site_id}/web-login`;
  expect((await owner.call('PUT', path, login)).status).toBe(200);
  const channel = { kind: 'webhook', name: 'Ops', url: 'https://hooks.example.com/secret-path' };
  const created = await owner.post('/panel/notification-channels', channel);
  const { totp } = (await owner.post('/panel/account/totp')).body;
  const signingKeys = await panel.db.selectFrom('signing_keys').selectAll().execute();
  const [privateKey = ''] = signingKeys.map(({ private_key_encrypted }) =>
    panel.secrets.decrypt(private_key_encrypted, 'signing_key'),
  );
  return {
    license_key,
    activation_token: body.activation_token,
    site_key: body.site_key,
    pending_site_key: again.body.site_key,
    enrolment_code: code?.code ?? '',
    web_login: login.password,
    channel_url: 'secret-path',
    signing_secret: created.body.signing_secret,
    totp_secret: totp.secret,
    signing_key: privateKey,
    access_token: (await newToken(panel, owner)).secret,
    password: owner.password,
  };
}

it('a copy of the database contains no key, token, password or other secret in clear text', async () => {
  const secrets = await createSecretsOfAllKinds();
  for (const secret of Object.values(secrets)) registerSecret(secret);
  const database = (await readDatabase()).toLowerCase();
  // Proves that the search works: host names are stored in clear text.
  expect(database).toContain('hooks.example.com');
  const found = Object.entries(secrets).filter(([, secret]) => {
    const spellings = [secret, secret.replaceAll('-', ''), Buffer.from(secret).toString('hex')];
    return secret === '' || spellings.some((text) => database.includes(text.toLowerCase()));
  });
  expect(found.map(([name]) => name)).toEqual([]);
});
