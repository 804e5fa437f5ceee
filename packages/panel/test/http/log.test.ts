import { findSecretsInLog, registeredSecrets, testLog } from '@steward/testkit/logs.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

/** Every test file ends with this check. This test shows that the log and the secrets are not empty. */
describe('the log of a panel at the most verbose level', () => {
  const { panel, owner } = usePanelWithOwner();

  it('contains every request but no keys, tokens, passwords or cookies', async () => {
    const { license_key } = await panel.license();
    const site = { license_key, site_url: newSiteUrl(), ...VERSIONS };
    const { body } = await panel.post('/api/v1/license/activate', site);
    const { activation_token } = body;
    await panel.post('/api/v1/license/check', { ...site, activation_token });
    expect((await owner.get('/panel/session')).status).toBe(200);

    for (const path of ['/auth/sign-in/email', '/api/v1/license/activate', '/panel/session']) {
      expect(testLog()).toContain(path);
    }
    const session = decodeURIComponent(owner.cookie.split('=')[1] ?? '').split('.')[0];
    const secrets = [owner.password, session, license_key, activation_token];
    expect(registeredSecrets()).toEqual(expect.arrayContaining(secrets));
    expect(findSecretsInLog()).toEqual([]);
  });
});
