import { createServer, type RequestListener } from 'node:http';
import {
  agentSite,
  answering,
  httpSite,
  SUCCESS,
  siteClient,
  standIn,
  targetAt,
} from '@steward/testkit/sites/stand-in-sites.ts';
import { describe, expect, it } from 'vitest';
import { mayHaveActed } from './index.ts';

describe('an answer that is none', () => {
  const invalid = (reason: string, httpStatus: number) => ({
    code: 'site_invalid_response',
    reason,
    httpStatus,
  });
  const cases: [what: string, RequestListener, expected: object, says: string][] = [
    [
      'a page with status 200',
      answering(200, '<!doctype html><title>My blog</title><style>p{}</style><p>Hello'),
      invalid('not_json', 200),
      'It said: “My blog Hello”',
    ],
    [
      'JSON behind a PHP warning',
      answering(200, `<br /><b>Warning</b>: in x.php on line 7<br />${SUCCESS}`),
      invalid('not_json', 200),
      'PHP warnings',
    ],
    [
      'nothing with status 200',
      answering(200, ''),
      invalid('not_json', 200),
      'something other than JSON',
    ],
    [
      'compressed bytes that nobody asked for',
      answering(200, '\u001f\u008b\u0008', { 'content-encoding': 'gzip' }),
      invalid('not_json', 200),
      'something other than JSON',
    ],
    [
      'JSON of another shape',
      answering(200, '{"success":"yes"}'),
      invalid('wrong_shape', 200),
      'Update the plugin',
    ],
    [
      'a page with status 404',
      answering(404, 'Not Found'),
      invalid('http_status', 404),
      'Check that the plugin is active',
    ],
    [
      "WordPress's own 404 for a route it does not have",
      answering(404, '{"code":"rest_no_route","message":"No route","data":{"status":404}}'),
      invalid('http_status', 404),
      'Check that the plugin is active',
    ],
    [
      'an error whose code is no code',
      answering(403, '{"success":false,"error":"No.","code":"<b>No</b>"}'),
      invalid('http_status', 403),
      'firewall',
    ],
    [
      'a question for a password',
      answering(401, 'Authorization Required', { 'www-authenticate': 'Basic' }),
      { code: 'site_login_required', reason: 'http_status', httpStatus: 401 },
      'asks for a password',
    ],
    [
      'a page with status 500',
      answering(500, 'Internal Server Error'),
      invalid('http_status', 500),
      'error log of the site',
    ],
    [
      "a gateway's 504",
      answering(504, '<h1>Gateway Time-out</h1>'),
      invalid('http_status', 504),
      'Gateway Time-out',
    ],
  ];
  for (const [what, answer, expected, says] of cases) {
    it(`is told as a failure: ${what}`, async () => {
      const { url } = await httpSite(answer);
      const outcome = await siteClient().sync(targetAt(url));
      expect(outcome).toMatchObject({ kind: 'failed', sent: true, ...expected });
      expect(outcome).toHaveProperty('error', expect.stringContaining(says));
    });
  }

  for (const [answer, expected] of [
    ['html', { reason: 'not_json', httpStatus: 200 }],
    ['wrong_json', { reason: 'not_json', httpStatus: 200 }],
    ['wrong_shape', { reason: 'wrong_shape', httpStatus: 200 }],
    ['http_500', { reason: 'http_status', httpStatus: 500 }],
    ['cut', { reason: 'connection_lost', httpStatus: null }],
    ['cut_after', { reason: 'connection_lost', httpStatus: null }],
  ] as const) {
    it(`is told as a failure after which the site may have acted: the agent with ${answer}`, async () => {
      const { url } = await agentSite({ answer });
      const outcome = await siteClient().bulkUpdate(targetAt(url));
      expect(outcome).toMatchObject({ kind: 'failed', sent: true, ...expected });
      expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(true);
    });
  }

  for (const httpStatus of [302, 403, 404]) {
    it(`shows that nothing was done when it is a page with status ${httpStatus}`, async () => {
      const { url } = await httpSite(answering(httpStatus, 'No.'));
      const outcome = await siteClient().bulkUpdate(targetAt(url));
      expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(false);
    });
  }

  describe('503', () => {
    const asWordPress = { 'retry-after': '600' };
    // As WordPress 6.1 sends them, to who takes JSON and to who does not.
    const json =
      '{"code":"wp_die","message":"Kurzzeitig nicht verf\\u00fcgbar.","data":{"status":503},"additional_errors":[]}';
    const page =
      '<!DOCTYPE html><html><head><title>Maintenance</title></head><body id="error-page"><div class="wp-die-message">Briefly unavailable for scheduled maintenance. Check back in a minute.</div></body></html>';
    const ofContract = (code: string) =>
      JSON.stringify({ success: false, code, error: 'Another update is running.' });

    for (const [what, answer] of [
      ['WordPress is in maintenance and says so in JSON', answering(503, json, asWordPress)],
      ['WordPress is in maintenance and shows its page', answering(503, page, asWordPress)],
      ["the site says so in the contract's words", answering(503, ofContract('site_busy'))],
    ] as const) {
      it(`is told as busy, to be tried again, when ${what}`, async () => {
        const { url } = await httpSite(answer);
        expect(await siteClient().bulkUpdate(targetAt(url))).toEqual({
          kind: 'busy',
          httpStatus: 503,
          code: 'site_busy',
          reason: 'maintenance',
          error: expect.stringContaining('Try again'),
        });
      });
    }

    for (const [what, answer] of [
      ["a proxy's page", answering(503, '<h1>Service Unavailable</h1>')],
      ["a proxy's page with Retry-After", answering(503, '<h1>503</h1>', asWordPress)],
      ["a proxy's JSON", answering(503, '{"message":"no healthy upstream"}', asWordPress)],
      ['null', answering(503, 'null', asWordPress)],
      ['nothing', answering(503, '')],
      ["WordPress's words for another fault", answering(503, json)],
      ["WordPress's page for another fault", answering(503, page)],
    ] as const) {
      it(`is a failure after which the site may have acted: ${what}`, async () => {
        const { url } = await httpSite(answer);
        const outcome = await siteClient().bulkUpdate(targetAt(url));
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
  it('is not followed, wherever it leads', async () => {
    const elsewhere = await standIn(createServer());
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${elsewhere.url}/login?key=secret`;
      const { url } = await httpSite(answering(status, '', { location }));
      expect(await siteClient().sync(targetAt(url))).toMatchObject({
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
