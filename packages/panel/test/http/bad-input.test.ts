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
  const asked = (fields: Record<string, unknown>) =>
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

  const ask = () => asked({});
  const tenMegabytes = 'x'.repeat(10_000_000);
  const deepNest = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const CASES: [name: string, body: () => string | Uint8Array, code?: string][] = [
    ['nothing at all', () => ''],
    ['text that is no JSON', () => 'license_key=x'],
    ['half a JSON object', () => '{"license_key":'],
    ['a string', () => '"hello"'],
    ['a number', () => '5'],
    ['null', () => 'null'],
    ['an array', () => '[]'],
    ['a body that is not UTF-8', () => Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d)],
    ['a raw NUL byte', () => ask().replace('6.6.2', '6\0')],
    ['an escaped NUL', () => asked({ cms_version: '6\u0000' })],
    ['a NUL in a field nobody knows', () => asked({ colour: ['\u0000'] })],
    ['half a surrogate pair', () => ask().replace('6.6.2', '\\ud800')],
    ['half a surrogate pair in a name', () => ask().replace('"cms', '"\\udfff":1,"cms')],
    ['__proto__', () => ask().replace('{', '{"__proto__":{"admin":true},')],
    ['constructor.prototype', () => ask().replace('{', '{"constructor":{"prototype":{"a":1}},')],
    ['a body of 10 MB', () => asked({ padding: tenMegabytes }), 'request_too_large'],
    [
      'an inventory of more than 1 MiB',
      () => asked({ padding: 'x'.repeat(1024 * 1024) }),
      'request_too_large',
    ],
    ['a deep nest', () => deepNest, 'request_too_large'],
    [
      'more entries than a site may report',
      () => asked({ inventory: { plugins: Array(2001).fill(0) } }),
      'request_too_large',
    ],
    [
      'a deep nest with a NUL in it',
      () => asked({ nest: 0 }).replace('0}', `${deepNest},"n":"\\u0000"}`),
      'request_too_large',
    ],
  ];

  for (const path of PATHS) {
    describe(`POST ${path} 400`, () => {
      for (const [name, body, code = 'invalid_request'] of CASES) {
        it(`refuses ${name}`, async () => {
          const answer = await send(path, body());
          expect([answer.status, answer.body.code]).toEqual([400, code]);
          expect(answer.body).toMatchObject(ERROR_BODY);
        });
      }

      it('refuses a wrong content type, and none', async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          '',
        ]) {
          const answer = await send(path, Buffer.from(ask()), type);
          expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
          expect(answer.body.error).toContain('application/json');
        }
      });

      it('refuses a URL of 5,000 characters', async () => {
        const answer = await send(
          path,
          asked({ site_url: `https://bad.example.com/${'a'.repeat(5000)}` }),
        );
        expect([answer.status, answer.body.code]).toEqual([400, 'invalid_site_url']);
      });
    });
  }

  it('takes 64 KiB everywhere but not more', async () => {
    const body = (size: number) => asked({ padding: 'x'.repeat(size) });
    expect((await send(PATHS[0] ?? '', body(60_000))).status).toBe(200);
    const larger = await send(PATHS[0] ?? '', body(66_000));
    expect([larger.status, larger.body.code]).toEqual([400, 'request_too_large']);
  });

  it('answers in our form when the path cannot be decoded', async () => {
    const answer = await send('/api/v1/%E0%A4%A', '{}');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, code: 'invalid_request' });
  });

  /** Never a 5xx, and always an answer of the agreed form. Injected: a socket adds nothing to a body. */
  async function assertWellAnswered(path: string, body: string | Uint8Array) {
    const headers = { 'content-type': 'application/json' };
    const payload = typeof body === 'string' ? body : Buffer.from(body);
    const answer = await panel.app.inject({ method: 'POST', url: path, headers, payload });
    expect([200, 400, 401, 403, 404]).toContain(answer.statusCode);
    expect(answer.json()).toMatchObject(answer.statusCode === 200 ? { success: true } : ERROR_BODY);
  }

  describe('at random', () => {
    const path = fc.constantFrom(...PATHS);
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.webUrl(),
      fc.constantFrom('', '\0', '../..'),
    );

    it('survives any bytes', async () => {
      await fc.assert(
        fc.asyncProperty(path, fc.uint8Array({ maxLength: 400 }), assertWellAnswered),
        { numRuns: 300 },
      );
    });

    it('survives any JSON', async () => {
      const json = fc.json({ maxDepth: 4, stringUnit: anyCharacter });
      await fc.assert(fc.asyncProperty(path, json, assertWellAnswered), { numRuns: 300 });
    });

    it('survives objects with our fields and anything in them', async () => {
      const value = fc.oneof(text, fc.jsonValue(), fc.integer(), fc.constant(null));
      // No valid key is among these values, so nothing can be stored.
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
          assertWellAnswered(each, JSON.stringify(body)),
        ),
        { numRuns: 500 },
      );
    });

    it('survives a real key with anything around it', async () => {
      const refusedHere = PATHS.filter(
        (each) => !each.endsWith('activate') || each.endsWith('deactivate'),
      );
      const body = fc.record({ site_url: text, activation_token: text, endpoint_url: text });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...refusedHere), body, (each, fields) =>
          assertWellAnswered(each, asked(fields)),
        ),
        { numRuns: 300 },
      );
    });
  });
});
