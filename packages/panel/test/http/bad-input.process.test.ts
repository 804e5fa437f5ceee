import { anyCharacter } from '@steward/testkit/any-character.ts';
import { useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PATHS = [
  '/api/v1/license/validate',
  '/api/v1/license/activate',
  '/api/v1/license/deactivate',
  '/api/v1/license/check',
  '/api/v1/site/verify',
];

const ERROR_BODY = {
  success: false,
  error: expect.any(String),
  code: expect.stringMatching(/^[a-z_]+$/),
  request_id: expect.any(String),
};

describe('bad input', () => {
  const panel = useTestPanel();
  let base = '';
  let licenseKey = '';
  beforeAll(async () => {
    base = await panel.app.listen({ port: 0, host: '127.0.0.1' });
    ({ license_key: licenseKey } = await panel.license({ siteLimit: null }));
  });

  const send = async (path: string, body: string | Uint8Array, type = 'application/json') => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: type ? { 'content-type': type } : {},
      body: typeof body === 'string' ? body : Buffer.from(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const bodyWith = (fields: Record<string, unknown>) =>
    JSON.stringify({
      license_key: licenseKey,
      site_url: 'https://bad.example.com',
      ...VERSIONS,
      ...fields,
    });

  const storedSites = async () =>
    Number((await panel.pool.query('SELECT count(*) AS count FROM sites')).rows[0].count);

  afterAll(async () => {
    expect(await storedSites()).toBe(0);
  });

  const validBody = () => bodyWith({});
  const tenMegabytes = 'x'.repeat(10_000_000);
  const deeplyNested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const CASES: [name: string, body: () => string | Uint8Array, code?: string][] = [
    ['an empty body', () => ''],
    ['text that is not JSON', () => 'license_key=x'],
    ['half a JSON object', () => '{"license_key":'],
    ['a string', () => '"hello"'],
    ['a number', () => '5'],
    ['null', () => 'null'],
    ['an array', () => '[]'],
    ['a body that is not UTF-8', () => Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d)],
    ['a raw NUL byte', () => validBody().replace('6.6.2', '6\0')],
    ['an escaped NUL', () => bodyWith({ cms_version: '6\u0000' })],
    ['a NUL in an unknown field', () => bodyWith({ colour: ['\u0000'] })],
    ['a lone surrogate', () => validBody().replace('6.6.2', '\\ud800')],
    ['a lone surrogate in a name', () => validBody().replace('"cms', '"\\udfff":1,"cms')],
    ['__proto__', () => validBody().replace('{', '{"__proto__":{"admin":true},')],
    [
      'constructor.prototype',
      () => validBody().replace('{', '{"constructor":{"prototype":{"a":1}},'),
    ],
    ['a body of 10 MB', () => bodyWith({ padding: tenMegabytes }), 'request_too_large'],
    [
      'an inventory of more than 1 MiB',
      () => bodyWith({ padding: 'x'.repeat(1024 * 1024) }),
      'request_too_large',
    ],
    ['deep nesting', () => deeplyNested, 'request_too_large'],
    [
      'more entries than a site may report',
      () => bodyWith({ inventory: { plugins: Array(2001).fill(0) } }),
      'request_too_large',
    ],
    [
      'deep nesting with a NUL',
      () => bodyWith({ nest: 0 }).replace('0}', `${deeplyNested},"n":"\\u0000"}`),
      'request_too_large',
    ],
  ];

  for (const path of PATHS) {
    describe(`POST ${path} 400`, () => {
      for (const [name, body, code = 'invalid_request'] of CASES) {
        it(`refuses ${name}`, async () => {
          const response = await send(path, body());
          expect([response.status, response.body.code]).toEqual([400, code]);
          expect(response.body).toMatchObject(ERROR_BODY);
        });
      }

      it('refuses a wrong or missing content type', async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          '',
        ]) {
          const response = await send(path, Buffer.from(validBody()), type);
          expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
          expect(response.body.error).toContain('application/json');
        }
      });

      it('refuses a URL of 5,000 characters', async () => {
        const response = await send(
          path,
          bodyWith({ site_url: `https://bad.example.com/${'a'.repeat(5000)}` }),
        );
        expect([response.status, response.body.code]).toEqual([400, 'invalid_site_url']);
      });
    });
  }

  it('accepts bodies up to 64 KiB', async () => {
    const body = (size: number) => bodyWith({ padding: 'x'.repeat(size) });
    expect((await send(PATHS[0] ?? '', body(60_000))).status).toBe(200);
    const larger = await send(PATHS[0] ?? '', body(66_000));
    expect([larger.status, larger.body.code]).toEqual([400, 'request_too_large']);
  });

  it('responds with an error body if the path cannot be decoded', async () => {
    const response = await send('/api/v1/%E0%A4%A', '{}');
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ success: false, code: 'invalid_request' });
  });

  /** Expects no 5xx and a valid body. Uses inject: a socket would not change the body. */
  async function expectValidResponse(path: string, body: string | Uint8Array) {
    const headers = { 'content-type': 'application/json' };
    const payload = typeof body === 'string' ? body : Buffer.from(body);
    const response = await panel.app.inject({ method: 'POST', url: path, headers, payload });
    expect([200, 400, 401, 403, 404]).toContain(response.statusCode);
    expect(response.json()).toMatchObject(
      response.statusCode === 200 ? { success: true } : ERROR_BODY,
    );
  }

  describe('random input', () => {
    const path = fc.constantFrom(...PATHS);
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.webUrl(),
      fc.constantFrom('', '\0', '../..'),
    );

    it('as bytes never causes a 5xx', async () => {
      await fc.assert(
        fc.asyncProperty(path, fc.uint8Array({ maxLength: 400 }), expectValidResponse),
        { numRuns: 300 },
      );
    });

    it('as JSON never causes a 5xx', async () => {
      const json = fc.json({ maxDepth: 4, stringUnit: anyCharacter });
      await fc.assert(fc.asyncProperty(path, json, expectValidResponse), { numRuns: 300 });
    });

    it('in known fields never causes a 5xx', async () => {
      const value = fc.oneof(text, fc.jsonValue(), fc.integer(), fc.constant(null));
      // None of these values is a valid key, so nothing is stored.
      const fields = fc.record(
        {
          license_key: value,
          site_url: value,
          cms_version: value,
          php_version: value,
          plugin_version: value,
          activation_token: value,
          environment: value,
          endpoint_url: value,
          inventory: value,
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(path, fields, (each, body) =>
          expectValidResponse(each, JSON.stringify(body)),
        ),
        { numRuns: 500 },
      );
    });

    it('with a valid license key never causes a 5xx', async () => {
      const readOnlyPaths = PATHS.filter(
        (each) => !each.endsWith('activate') || each.endsWith('deactivate'),
      );
      const body = fc.record({ site_url: text, activation_token: text, endpoint_url: text });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...readOnlyPaths), body, (each, fields) =>
          expectValidResponse(each, bodyWith(fields)),
        ),
        { numRuns: 300 },
      );
    });
  });
});
