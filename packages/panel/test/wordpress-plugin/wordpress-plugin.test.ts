import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpack } from '@steward/agent/platforms/directory/unpack.ts';
import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newEmail, newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createPluginZip,
  listPluginFiles,
  readPluginVersion,
} from '../../src/features/wordpress-plugin/plugin-zip.ts';
import { createWordPressPluginService } from '../../src/features/wordpress-plugin/wordpress-plugin.service.ts';

const LIMITS = { maxBytes: 10_000_000, maxFiles: 1000 };

/** Unpacks the zip like a site does. */
async function unpackZip(zip: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-plugin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'plugin.zip');
  writeFileSync(path, zip);
  await unpack(path, join(folder, 'out'), LIMITS);
  const plugin = join(folder, 'out/steward');
  return {
    files: listPluginFiles(plugin),
    read: (name: string) => readFileSync(join(plugin, name), 'utf8'),
  };
}

describe('GET /panel/plugin.zip', () => {
  const panel = useTestPanel({ baseUrl: 'https://panel.example.com' });
  const download = async (
    headers: Record<string, string> = {},
    role: 'owner' | 'viewer' = 'owner',
  ) => {
    const { cookie } = await newSignedInUser(panel, role);
    return panel.app.inject({ url: '/panel/plugin.zip', headers: { cookie, ...headers } });
  };

  describe('200', () => {
    it('returns the plugin files plus the address of the panel', async () => {
      const response = await download();
      expect(response.statusCode).toBe(200);
      expect(response.headers).toMatchObject({
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="steward-${readPluginVersion()}.zip"`,
        'cache-control': 'private, no-cache',
        etag: expect.any(String),
      });
      const { files, read } = await unpackZip(response.rawPayload);
      expect(files).toEqual([...listPluginFiles(), 'panel.php'].sort());
      expect(read('panel.php')).toContain("\nreturn 'https://panel.example.com';\n");
    });

    it('returns the same bytes on each request, also to viewers', async () => {
      const [one, other] = [await download(), await download({}, 'viewer')];
      expect(other.rawPayload.equals(one.rawPayload)).toBe(true);
    });
  });

  it('responds 304 to a known ETag', async () => {
    const { headers } = await download();
    const again = await download({ 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('responds 401 without a session', async () => {
    const response = await panel.app.inject({ url: '/panel/plugin.zip' });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('responds 404 with the reason if the panel was installed without the plugin', async () => {
    const service = createWordPressPluginService({
      getPanelUrl: () => 'https://panel.example.com',
      enrolmentCodes: panel.services.enrolmentCodes,
      folder: '/no/such/folder',
    });
    await expect(service.download('panel.example.com')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('installed without the WordPress plugin'),
    });
  });
});

describe('GET /panel/plugin.zip with license_id', () => {
  const panel = useTestPanel({ baseUrl: 'https://panel.example.com' });
  const download = (cookie: string, licenseId: number | string, headers = {}) =>
    panel.app.inject({
      url: `/panel/plugin.zip?license_id=${licenseId}`,
      headers: { cookie, ...headers },
    });

  it('contains a new enrolment code on each download, which connects a site', async () => {
    const { cookie } = await newSignedInUser(panel);
    const { id } = await panel.license();
    const codes = [];
    for (let index = 0; index < 2; index++) {
      const response = await download(cookie, id);
      expect([response.statusCode, response.headers]).toMatchObject([
        200,
        {
          'content-disposition': `attachment; filename="steward-${readPluginVersion()}-one-site.zip"`,
          'cache-control': 'no-store',
        },
      ]);
      const { files, read } = await unpackZip(response.rawPayload);
      expect(files).toEqual([...listPluginFiles(), 'enrolment.php', 'panel.php'].sort());
      codes.push(/\nreturn '(STWE-[0-9A-Z-]+)';\n$/.exec(read('enrolment.php'))?.[1]);
    }
    expect(new Set(codes).size).toBe(2);
    const { status } = await panel.post('/api/v1/license/activate', {
      ...{ license_key: codes[0], site_url: newSiteUrl(), ...VERSIONS },
      capabilities: ['site_key', 'signed_calls'],
    });
    expect(status).toBe(200);
  });

  it('is refused to other users than owners, to other sites and for an unknown license', async () => {
    const { id } = await panel.license();
    const owner = await newSignedInUser(panel);
    const manager = await newSignedInUser(panel, 'manager');
    for (const [response, status, code] of [
      [await download(manager.cookie, id), 403, 'forbidden'],
      [
        await download(owner.cookie, id, { 'sec-fetch-site': 'cross-site' }),
        403,
        'cross_site_request',
      ],
      [await download(owner.cookie, 999_999), 404, 'not_found'],
      [await download(owner.cookie, 'x'), 400, 'invalid_request'],
    ] as const) {
      expect([response.statusCode, response.json().code]).toEqual([status, code]);
    }
    expect(await panel.services.enrolmentCodes.list(id)).toEqual([]);
  });

  it('accepts an access token of an owner with the action licenses', async () => {
    const { id } = await panel.license();
    const owner = await newSignedInUser(panel);
    const path = `/panel/plugin.zip?license_id=${id}`;
    const { body } = await (await newToken(panel, owner)).get(path);
    expect(body.code).toBe('token_action_missing');
    const token = await newToken(panel, owner, { actions: ['read', 'licenses'] });
    await token.ask('GET', path);
    expect(await panel.services.enrolmentCodes.list(id)).toHaveLength(1);
  });

  it('requires a recent confirmation', async () => {
    const { id } = await panel.license();
    const { cookie } = await newSignedInUser(panel);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 60 * 60 * 1000);
    const response = await download(cookie, id);
    expect([response.statusCode, response.json().code]).toEqual([403, 'confirmation_required']);
  });
});

describe('GET /panel/plugin.zip without BASE_URL', () => {
  const panel = useTestPanel({ baseUrl: 'http://localhost:8080' });
  const openAt = async (host: string) => {
    const { cookie } = await newSignedInUser(panel);
    return panel.app.inject({ url: '/panel/plugin.zip', headers: { cookie, host } });
  };

  for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'localhost:6666']) {
    it(`contains the localhost address for a request to ${host}`, async () => {
      const { read } = await unpackZip((await openAt(host)).rawPayload);
      expect(read('panel.php')).toContain("\nreturn 'http://localhost:8080';\n");
    });
  }

  for (const host of [
    'evil.example',
    'panel.lan:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    "x';phpinfo();'",
  ]) {
    it(`responds 409 and asks for BASE_URL for a request to ${host}`, async () => {
      const response = await openAt(host);
      expect(response.statusCode).toBe(409);
      expect(response.json()).toMatchObject({
        code: 'base_url_missing',
        error: expect.stringContaining('BASE_URL'),
      });
    });
  }
});

describe('GET /panel/plugin.zip with BASE_URL', () => {
  const panel = useTestPanel({ baseUrl: 'https://panel.example.com', trustProxy: true });

  const forged = {
    host: 'evil.example',
    forwarded: 'host=evil.example;proto=http',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-port': '81',
  };

  it('makes all links with that address, regardless of the headers', async () => {
    const owner = await newSignedInUser(panel);
    const { id } = await panel.license();
    const ask = async (method: string, path: string, body?: object) => {
      const response = await owner.call(method, path, body, { headers: forged });
      expect([path, response.status]).toEqual([path, 200]);
      return response.body;
    };
    const invited = await ask('POST', '/panel/users', { email: newEmail(), role: 'viewer' });
    const reset = await ask('POST', `/panel/users/${invited.user.id}/reset-password`);
    const codes = await ask('POST', `/panel/licenses/${id}/enrolment-codes`, { count: 1 });
    const settings = await ask('GET', '/panel/settings');
    const links = [
      invited.password_link.url,
      reset.password_link.url,
      codes.enrolment_codes[0].plugin_url,
      settings.panel.url,
    ];
    expect(links.map((link) => new URL(link).origin)).toEqual(
      links.map(() => 'https://panel.example.com'),
    );
    expect(JSON.stringify([invited, reset, codes, settings])).not.toContain('evil');
  });

  it('contains that address, regardless of the headers', async () => {
    const { cookie } = await newSignedInUser(panel);
    const url = '/panel/plugin.zip';
    const response = await panel.app.inject({ url, headers: { cookie, ...forged } });
    const { read } = await unpackZip(response.rawPayload);
    expect(read('panel.php')).toContain("\nreturn 'https://panel.example.com';\n");
  });
});

describe('panel.php', () => {
  it('is valid PHP for any address', async () => {
    const { read } = await unpackZip(await createPluginZip("https://a.example/it's\\here?>$x{$y}"));
    expect(read('panel.php')).toContain("return 'https://a.example/it\\'s\\\\here?>$x{$y}';");
  });
});
