import type { IncomingMessage } from 'node:http';
import {
  createTarget,
  SUCCESS,
  siteClient,
  startHttpSite,
} from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it } from 'vitest';

const index = (...namespaces: string[]) => JSON.stringify({ namespaces }).replaceAll('/', '\\/');
const WITH_STEWARD = index('oembed/1.0', 'service/v1', 'wp/v2');
const WITHOUT_STEWARD = index('oembed/1.0', 'wp/v2');
const apiLink = (href: string) => `<link rel="https://api.w.org/" href="${href}" />`;

type Page = { status?: number; body?: string; headers?: Record<string, string> };

/** Starts a site that responds 404 to all addresses but these, and records the requests after the call. */
async function startSite(pages: (origin: string) => Record<string, Page>) {
  const requests: IncomingMessage[] = [];
  const site = await startHttpSite((request, response) => {
    if (request.method === 'GET') requests.push(request);
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    url.searchParams.delete('_fields');
    const page = pages(url.origin)[decodeURIComponent(url.pathname + url.search)];
    const { status = page ? 200 : 404, body = 'Not here.', headers = {} } = page ?? {};
    response.writeHead(status, headers).end(body);
  });
  return { url: site.url, requests };
}

const sync = (url: string) => siteClient().sync(createTarget(url));

describe('a call that got 404', () => {
  it.each<
    [what: string, pages: (origin: string) => Record<string, Page>, error: RegExp, requests: number]
  >([
    [
      'the plugin by query only',
      () => ({ '/?rest_route=/': { body: WITH_STEWARD } }),
      /nginx needs/,
      2,
    ],
    [
      'the plugin behind a PHP warning',
      () => ({ '/?rest_route=/': { body: `<b>Warning</b>: x${WITH_STEWARD}` } }),
      /nginx needs/,
      2,
    ],
    [
      'WordPress without it',
      () => ({ '/?rest_route=/': { body: WITHOUT_STEWARD } }),
      /not active/,
      1,
    ],
    [
      'the plugin at both addresses',
      () => ({ '/?rest_route=/': { body: WITH_STEWARD }, '/wp-json/': { body: WITH_STEWARD } }),
      /responds at \/wp-json\//,
      2,
    ],
    [
      'a closed REST API',
      () => ({ '/?rest_route=/': { status: 401, body: '{"code":"rest_closed","message":"No."}' } }),
      /closes its REST API/,
      3,
    ],
    [
      'an address in the Link header',
      (origin) => ({
        '/': { headers: { link: `<${origin}/api/>; rel="https://api.w.org/"` } },
        '/api/': { body: WITH_STEWARD },
      }),
      /responds at http:\/\/127\.0\.0\.1:\d+\/api\/, but not/,
      4,
    ],
    [
      'an address in the page',
      () => ({ '/': { body: `<head>${apiLink('/api/')}` }, '/api/': { body: WITHOUT_STEWARD } }),
      /not active/,
      4,
    ],
    [
      'the usual address in the page',
      (origin) => ({ '/': { body: apiLink(`${origin}/wp-json/`) } }),
      /security plugin or the web server hides it/,
      3,
    ],
    [
      'a page of another program',
      () => ({ '/': { body: '<h1>Parked</h1>' } }),
      /another server/,
      3,
    ],
    ['nothing', () => ({}), /Check that the Steward plugin is active/, 3],
  ])('is explained by what responds: %s', async (_what, pages, error, count) => {
    const { url, requests } = await startSite(pages);
    expect(await sync(url)).toMatchObject({
      kind: 'failed',
      code: 'site_endpoint_not_found',
      httpStatus: 404,
      error: expect.stringMatching(error),
    });
    expect(requests).toHaveLength(count);
    for (const { headers } of requests) {
      expect(Object.keys(headers).filter((name) => name.startsWith('x-service'))).toEqual([]);
    }
  });

  it('sends no request to another host, and follows no redirect', async () => {
    const other = await startSite(() => ({}));
    const { url } = await startSite(() => ({
      '/': { body: apiLink(`${other.url}/wp-json/`) },
      '/?rest_route=/': { status: 302, headers: { location: other.url } },
    }));
    const error = expect.stringContaining(`on another host: ${other.url}/wp-json/.`);
    expect(await sync(url)).toMatchObject({ error });
    expect(other.requests).toEqual([]);
  });

  it('is not diagnosed at an endpoint on another host', async () => {
    const endpoint = await startSite(() => ({}));
    const { url, requests } = await startSite(() => ({}));
    const target = createTarget(url, `${endpoint.url}/wp-json/service/v1/`);
    expect(await siteClient().sync(target)).toMatchObject({
      code: 'site_endpoint_not_found',
      error: expect.stringContaining('Check that the Steward plugin is active'),
    });
    expect([...requests, ...endpoint.requests]).toEqual([]);
  });

  it('of a site in a folder is diagnosed in this folder', async () => {
    const { url } = await startSite(() => ({ '/shop/?rest_route=/': { body: WITHOUT_STEWARD } }));
    const error = expect.stringContaining('not active');
    expect(await sync(`${url}/shop`)).toMatchObject({ error });
  });
});

it.each([200, 403, 500])('a call with status %d causes no further request', async (status) => {
  const requests: unknown[] = [];
  const { url } = await startHttpSite((request, response) => {
    requests.push(request.url);
    response.writeHead(status).end(SUCCESS);
  });
  await sync(url);
  expect(requests).toHaveLength(1);
});
