import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { hashTables } from '@steward/testkit/postgres/hash-tables.ts';
import { beforeEach, describe, expect, it } from 'vitest';

const NEW_LICENSE = { plan: 'agency', site_limit: 5 };

type Token = Awaited<ReturnType<typeof newToken>>;

describe('changes of licenses with an access token', () => {
  const { panel, owner } = usePanelWithOwner();
  let token: Token;

  const hoursLater = (hours: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + hours * 3_600_000);
  };
  const createLicenses = async (count: number) => {
    for (let index = 0; index < count; index++) {
      expect((await token.post('/panel/licenses', NEW_LICENSE)).status).toBe(200);
    }
  };

  /** A valid request for each route with the action `licenses`. A new route needs one. */
  async function prepareRequests(): Promise<
    Record<string, [method: string, url: string, body?: object]>
  > {
    const active = await newLicenseWithSites(panel);
    const site = await active.addSite();
    const suspended = await panel.license();
    await panel.services.licenses.suspend(suspended.id, { actor: 'system', via: 'command_line' });
    const url = `/panel/licenses/${active.id}`;
    const [code] = (await owner.post(`${url}/enrolment-codes`, {})).body.enrolment_codes;
    return {
      'POST /panel/licenses': ['POST', '/panel/licenses', NEW_LICENSE],
      'POST /panel/licenses/:id/suspend': ['POST', `${url}/suspend`],
      'POST /panel/licenses/:id/resume': ['POST', `/panel/licenses/${suspended.id}/resume`],
      'POST /panel/licenses/:id/extend': ['POST', `${url}/extend`, { expires_at: '2030-01-01' }],
      'POST /panel/licenses/:id/set-limit': ['POST', `${url}/set-limit`, { site_limit: 7 }],
      'POST /panel/licenses/:id/sites/:site_id/release': [
        'POST',
        `${url}/sites/${site.id}/release`,
      ],
      'POST /panel/licenses/:id/enrolment-codes': ['POST', `${url}/enrolment-codes`, {}],
      'DELETE /panel/enrolment-codes/:id': ['DELETE', `/panel/enrolment-codes/${code.id}`],
      // Also needs `licenses` if it creates a code.
      'GET /panel/plugin.zip': ['GET', `/panel/plugin.zip?license_id=${active.id}`],
    };
  }

  /** It gives and takes no access. */
  const UNCOUNTED = ['PATCH /panel/licenses/:id'];

  beforeEach(async () => {
    await owner.post('/auth/confirm', { password: owner.password });
    panel.fakes.panelUrl = 'https://panel.example.com';
    token = await newToken(panel, owner, { actions: ['read', 'licenses'] });
  });

  it('are 429 after 50 in 24 hours on every route, and change nothing', async () => {
    await createLicenses(50);
    const requests = await prepareRequests();
    const routes = Object.entries(panel.app.tokenRules())
      .filter(([, rule]) => rule === 'licenses')
      .map(([name]) => name);
    expect(routes.length).toBeGreaterThan(5);
    const counted = routes.filter((name) => !UNCOUNTED.includes(name));
    expect(Object.keys(requests)).toEqual(expect.arrayContaining(counted));
    hoursLater(1);
    const before = await hashTables(panel.pool, ['access_tokens']);
    for (const [name, [method, url, body]] of Object.entries(requests)) {
      const response = await token.call(method, url, body);
      expect([name, response.status, response.body.code]).toEqual([name, 429, 'rate_limited']);
      expect(response.headers['retry-after']).toBe(String(23 * 3600));
    }
    expect(await hashTables(panel.pool, ['access_tokens'])).toEqual(before);
    // Each request is valid: a session makes the same changes.
    await owner.post('/auth/confirm', { password: owner.password });
    for (const [name, [method, url, body]] of Object.entries(requests)) {
      expect([name, (await owner.call(method, url, body)).status]).toEqual([name, 200]);
    }
  });

  it('are possible again a day after the oldest', async () => {
    await createLicenses(20);
    hoursLater(12);
    await createLicenses(30);
    const create = async () => (await token.post('/panel/licenses', NEW_LICENSE)).status;
    expect(await create()).toBe(429);
    hoursLater(12);
    for (let index = 0; index < 20; index++) expect(await create()).toBe(200);
    expect(await create()).toBe(429);
  });

  it('are counted per token, also of requests at the same time', async () => {
    await createLicenses(45);
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { status } = await token.post('/panel/licenses', NEW_LICENSE);
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    token = await newToken(panel, owner, { actions: ['licenses'] });
    await createLicenses(1);
  });

  it('are not counted if nothing changes or no access changes', async () => {
    const license = await panel.license();
    await createLicenses(49);
    for (const name of ['One', 'Two']) {
      expect((await token.patch(`/panel/licenses/${license.id}`, { name })).status).toBe(200);
      expect((await token.post(`/panel/licenses/${license.id}/resume`)).status).toBe(200);
      expect((await token.post('/panel/licenses/999999/suspend')).status).toBe(404);
    }
    await createLicenses(1);
    expect((await token.post(`/panel/licenses/${license.id}/suspend`)).status).toBe(429);
    expect((await token.patch(`/panel/licenses/${license.id}`, { name: 'Three' })).status).toBe(
      200,
    );
  });
});
