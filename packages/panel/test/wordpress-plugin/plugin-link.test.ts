import { registerSecret, testLog } from '@steward/testkit/logs.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, OPERATOR, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const DAY_MS = 24 * 60 * 60 * 1000;
const BASE_URL = 'https://panel.example.com';

describe('GET /api/v1/plugin/:code/steward.zip', () => {
  const panel = useTestPanel({ baseUrl: BASE_URL });
  let owner: Person;
  beforeAll(async () => {
    owner = await newSignedInUser(panel, 'owner');
  });

  async function createLink() {
    const { id } = await panel.license();
    const { body } = await owner.post(`/panel/licenses/${id}/enrolment-codes`, {});
    const { code, plugin_url } = body.enrolment_codes[0] as { code: string; plugin_url: string };
    registerSecret(code);
    const { origin, pathname } = new URL(plugin_url);
    expect(origin).toBe(BASE_URL);
    return { licenseId: id, code, pathname };
  }

  const download = (url: string) =>
    panel.app.inject({ url, headers: { host: 'panel.example.com' } });

  const connect = (code: string) =>
    panel.post('/api/v1/license/activate', {
      ...{ license_key: code, site_url: newSiteUrl(), ...VERSIONS },
      capabilities: ['site_key', 'signed_calls'],
    });

  const refusal = async (url: string) => {
    const response = await download(url);
    return [response.statusCode, response.json().code, response.headers['cache-control']];
  };

  it('returns the plugin with the code, without a session, until a site uses the code', async () => {
    const { code, pathname } = await createLink();
    for (let attempt = 0; attempt < 2; attempt++) {
      const response = await download(pathname);
      expect(response.statusCode).toBe(200);
      expect(response.headers).toMatchObject({
        'content-type': 'application/zip',
        'content-disposition': expect.stringMatching(/steward-[\d.]+-one-site\.zip/),
        'cache-control': 'no-store',
      });
      // A small file is stored in a zip with its name in plain text.
      expect(response.rawPayload.includes('steward/enrolment.php')).toBe(true);
    }
    expect((await connect(code)).status).toBe(200);
    expect(await refusal(pathname)).toEqual([401, 'enrolment_code_used', 'no-store']);
    expect(testLog()).toContain('/api/v1/plugin/:code/steward.zip');
  });

  it('has the origin that GET /panel/settings returns', async () => {
    const { body } = await owner.get('/panel/settings');
    expect(body.panel).toEqual({ url: BASE_URL, reach: 'public' });
  });

  it('refuses expired and revoked codes, codes of revoked licenses and other texts', async () => {
    const [link, other] = [await createLink(), await createLink()];
    await owner.post(`/panel/licenses/${other.licenseId}/revoke`);
    const unknown = [404, 'invalid_plugin_link', 'no-store'];
    expect(await refusal(other.pathname)).toEqual(unknown);
    for (const text of ['STWE-0000000-0000000-0000000-0000000', 'x', '%00', '..%2f..%2fsecret']) {
      expect(await refusal(`/api/v1/plugin/${text}/steward.zip`)).toEqual(unknown);
    }
    const { body } = await owner.get(`/panel/licenses/${link.licenseId}/enrolment-codes`);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + DAY_MS);
    expect(await refusal(link.pathname)).toEqual([401, 'enrolment_code_expired', 'no-store']);
    const { id } = body.enrolment_codes[0] as { id: number };
    await panel.services.enrolmentCodes.revoke(id, OPERATOR);
    expect(await refusal(link.pathname)).toEqual(unknown);
  });
});
