import { createServer, type RequestListener } from 'node:http';
import {
  createTarget,
  resolveToLocalhost,
  respondWith,
  SUCCESS,
  siteClient,
  startAgentSite,
  startFakeSite,
  startHttpSite,
} from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it } from 'vitest';
import { mayHaveActed } from './index.ts';

const WARNING =
  '<br />\n<b>Warning</b>:  Undefined index in <b>/srv/wp-content/plugins/shop/a.php</b> on line <b>7</b><br />\n';

describe('a response with other output around its JSON', () => {
  it.each([
    ['a PHP warning', `${WARNING}${SUCCESS}`],
    ['two byte order marks', `\uFEFF\uFEFF${SUCCESS}`],
    ['a comment', `${SUCCESS}<!-- cached -->`],
  ])('is understood: %s', async (_what, text) => {
    const { url } = await startHttpSite(respondWith(200, text));
    expect(await siteClient().sync(createTarget(url))).toMatchObject({ kind: 'answered' });
  });

  it.each([
    ['site_busy', 409],
    ['remote_disabled', 403],
    ['unknown_code', 500],
  ])('is a refusal although the status is 200: %s', async (code, httpStatus) => {
    const error = JSON.stringify({ success: false, error: 'No.', code });
    const { url } = await startHttpSite(respondWith(200, `${WARNING}${error}`));
    const outcome = await siteClient().bulkUpdate(createTarget(url));
    expect(outcome).toMatchObject({ kind: 'refused', code, httpStatus, error: 'No.' });
    expect(outcome.kind === 'refused' && mayHaveActed(outcome)).toBe(httpStatus === 500);
  });
});

describe('an invalid response', () => {
  const invalid = (reason: string, httpStatus: number) => ({
    code: 'site_invalid_response',
    reason,
    httpStatus,
  });
  const cases: [what: string, RequestListener, expected: object, message: string][] = [
    [
      'a page with status 200',
      respondWith(200, '<!doctype html><title>My blog</title><style>p{}</style><p>Hello'),
      invalid('not_json', 200),
      'Response: “My blog Hello”',
    ],
    [
      'two responses after a PHP warning',
      respondWith(200, `${WARNING}${SUCCESS}${SUCCESS}`),
      invalid('not_json', 200),
      'Update or deactivate the plugin shop. To keep PHP messages out of responses, set WP_DEBUG_DISPLAY to false in wp-config.php. Response: “Warning: Undefined index in wp-content/plugins/shop/a.php on line 7”',
    ],
    [
      'an empty body with status 200',
      respondWith(200, ''),
      invalid('not_json', 200),
      'something other than JSON',
    ],
    [
      'compressed bytes that were not requested',
      respondWith(200, '\u001f\u008b\u0008', { 'content-encoding': 'gzip' }),
      invalid('not_json', 200),
      'something other than JSON',
    ],
    [
      'JSON of another shape',
      respondWith(200, '{"success":"yes"}'),
      invalid('wrong_shape', 200),
      'Update the Steward plugin',
    ],
    [
      'a page with status 404',
      respondWith(404, 'Not Found'),
      { ...invalid('http_status', 404), code: 'site_endpoint_not_found' },
      'Check that the Steward plugin is active',
    ],
    [
      'a 404 of WordPress for an unknown route',
      respondWith(404, '{"code":"rest_no_route","message":"No route","data":{"status":404}}'),
      { ...invalid('http_status', 404), code: 'site_endpoint_not_found' },
      'the Steward plugin is not active there. Activate it under Plugins',
    ],
    [
      'an error with an invalid code',
      respondWith(403, '{"success":false,"error":"No.","code":"<b>No</b>"}'),
      invalid('http_status', 403),
      'firewall',
    ],
    [
      'a password prompt',
      respondWith(401, 'Authorization Required', { 'www-authenticate': 'Basic' }),
      { code: 'site_login_required', reason: 'http_status', httpStatus: 401 },
      'requires a user name and password',
    ],
    [
      'a page with status 500',
      respondWith(500, 'Internal Server Error'),
      invalid('http_status', 500),
      'error log of the site',
    ],
    [
      'a 504 of a gateway',
      respondWith(504, '<h1>Gateway Time-out</h1>'),
      invalid('http_status', 504),
      'Gateway Time-out',
    ],
  ];
  for (const [what, listener, expected, message] of cases) {
    it(`is a failure: ${what}`, async () => {
      const { url } = await startHttpSite(listener);
      const outcome = await siteClient().sync(createTarget(url));
      expect(outcome).toMatchObject({ kind: 'failed', sent: true, ...expected });
      expect(outcome).toHaveProperty('error', expect.stringContaining(message));
    });
  }

  for (const [response, expected] of [
    ['html', { reason: 'not_json', httpStatus: 200 }],
    ['truncated_json', { reason: 'not_json', httpStatus: 200 }],
    ['wrong_shape', { reason: 'wrong_shape', httpStatus: 200 }],
    ['http_500', { reason: 'http_status', httpStatus: 500 }],
    ['cut', { reason: 'connection_lost', httpStatus: null }],
    ['cut_after_work', { reason: 'connection_lost', httpStatus: null }],
  ] as const) {
    it(`is a failure after which the site may have acted: agent with ${response}`, async () => {
      const { url } = await startAgentSite({ response });
      const outcome = await siteClient().bulkUpdate(createTarget(url));
      expect(outcome).toMatchObject({ kind: 'failed', sent: true, ...expected });
      expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(true);
    });
  }

  for (const httpStatus of [302, 403, 404]) {
    it(`proves that the site did not act: a page with status ${httpStatus}`, async () => {
      const { url } = await startHttpSite(respondWith(httpStatus, 'No.'));
      const outcome = await siteClient().bulkUpdate(createTarget(url));
      expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(false);
    });
  }

  describe('503', () => {
    const retryAfter = { 'retry-after': '600' };
    // The maintenance responses of WordPress 6.1, for clients that accept JSON and for other clients.
    const json =
      '{"code":"wp_die","message":"Kurzzeitig nicht verf\\u00fcgbar.","data":{"status":503},"additional_errors":[]}';
    const page =
      '<!DOCTYPE html><html><head><title>Maintenance</title></head><body id="error-page"><div class="wp-die-message">Briefly unavailable for scheduled maintenance. Check back in a minute.</div></body></html>';
    const contractError = (code: string) =>
      JSON.stringify({ success: false, code, error: 'Another update is running.' });

    for (const [what, listener] of [
      ['WordPress is in maintenance and responds with JSON', respondWith(503, json, retryAfter)],
      ['WordPress is in maintenance and responds with a page', respondWith(503, page, retryAfter)],
      ['the site sends site_busy', respondWith(503, contractError('site_busy'))],
    ] as const) {
      it(`is busy and worth a retry if ${what}`, async () => {
        const { url } = await startHttpSite(listener);
        expect(await siteClient().bulkUpdate(createTarget(url))).toEqual({
          kind: 'busy',
          httpStatus: 503,
          code: 'site_busy',
          reason: 'maintenance',
          error: expect.stringContaining('Try again'),
        });
      });
    }

    for (const [what, listener] of [
      ['a page of a proxy', respondWith(503, '<h1>Service Unavailable</h1>')],
      ['a page of a proxy with Retry-After', respondWith(503, '<h1>503</h1>', retryAfter)],
      ['JSON of a proxy', respondWith(503, '{"message":"no healthy upstream"}', retryAfter)],
      ['null', respondWith(503, 'null', retryAfter)],
      ['an empty body', respondWith(503, '')],
      ['the JSON of wp_die without Retry-After', respondWith(503, json)],
      ['the page of wp_die without Retry-After', respondWith(503, page)],
    ] as const) {
      it(`is a failure after which the site may have acted: ${what}`, async () => {
        const { url } = await startHttpSite(listener);
        const outcome = await siteClient().bulkUpdate(createTarget(url));
        expect(outcome).toMatchObject({
          kind: 'failed',
          sent: true,
          ...invalid('http_status', 503),
        });
        expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(true);
      });
    }
  });
});

describe('a redirect', () => {
  it.each([
    ['http://a.test', 'https://a.test', /with http and answers with https now\. Connect it again/],
    ['http://a.test', 'http://www.a.test', /as a\.test\S* and answers as www\.a\.test\S* now\./],
    ['http://www.a.test', 'https://a.test', /as www\.a\.test\S* and answers as a\.test\S* now\./],
    ['http://a.test', 'https://b.test', /connect the site again there/],
    ['http://a.test', 'http://a.test/login', /exempt \/service\/v1\/ from the login/],
  ])('names the change of the address: %s to %s', async (from, to, expected) => {
    const { port } = await startHttpSite((request, response) => {
      const location = new URL(to.endsWith('/login') ? to : `${to}${request.url}`);
      location.port = String(port);
      response.writeHead(301, { location: location.href }).end();
    });
    const client = siteClient({ lookup: resolveToLocalhost });
    const outcome = await client.sync(createTarget(`${from}:${port}`));
    expect(outcome).toHaveProperty('error', expect.stringMatching(expected));
  });

  it('is never followed', async () => {
    const elsewhere = await startFakeSite(createServer());
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${elsewhere.url}/login?key=secret`;
      const { url } = await startHttpSite(respondWith(status, '', { location }));
      expect(await siteClient().sync(createTarget(url))).toMatchObject({
        kind: 'failed',
        code: 'site_redirected',
        reason: 'redirect',
        sent: true,
        httpStatus: status,
        error: expect.stringContaining(
          `redirects to ${elsewhere.url}/login. If that is the real address`,
        ),
      });
    }
    expect(elsewhere.connections()).toBe(0);
  });
});
