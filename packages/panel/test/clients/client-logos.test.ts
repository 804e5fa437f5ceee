import { CLIENT_LOGO_MAX_BYTES } from '@steward/contract';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { browser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('/panel/clients/:id/logo', () => {
  const { panel, owner } = usePanelWithOwner();
  let id = 0;
  beforeAll(async () => {
    id = (await owner.post('/panel/clients', { name: 'Logo Ltd' })).body.client.id;
  });
  const path = () => `/panel/clients/${id}/logo`;
  const upload = (bytes: Buffer, type = 'image/png') =>
    owner.call('PUT', path(), bytes, { headers: { 'content-type': type } });
  const readLogo = async () => (await owner.get(`/panel/clients/${id}`)).body.client.logo;

  it('stores an image and serves it only to users who see the client, with its real type', async () => {
    // The declared type does not matter: the content decides.
    expect((await upload(PNG, 'image/webp')).status).toBe(200);
    expect(await readLogo()).toMatch(/^[0-9a-f]{16}$/);
    const { status, headers } = await owner.get(path());
    expect([status, headers]).toMatchObject([
      200,
      {
        'content-type': 'image/png',
        'cache-control': 'private, max-age=3600',
        'x-content-type-options': 'nosniff',
        'content-length': String(PNG.length),
      },
    ]);
    expect((await browser(panel).get(path())).status).toBe(401);
    const license = await newLicenseWithSites(panel);
    const site = await license.addSite();
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: site.id }]);
    expect((await viewer.get(path())).status).toBe(404);
    await owner.post('/panel/sites/client', { site_ids: [site.id], client_id: id });
    expect((await viewer.get(path())).status).toBe(200);
    expect((await viewer.call('DELETE', path())).status).toBe(403);

    expect((await owner.call('DELETE', path())).status).toBe(200);
    expect(await readLogo()).toBeNull();
    expect((await owner.get(path())).status).toBe(404);
  });

  it.each([
    ['image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400, 'invalid_logo'],
    ['image/png', Buffer.alloc(0), 400, undefined],
    ['image/png', Buffer.concat([PNG, Buffer.alloc(CLIENT_LOGO_MAX_BYTES)]), 413, undefined],
    ['image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400, undefined],
  ])('refuses %s with other content', async (type, bytes, status, code) => {
    const response = await upload(bytes, type);
    expect(response.status).toBe(status);
    if (code) expect(response.body.code).toBe(code);
    expect(await readLogo()).toBeNull();
  });
});
