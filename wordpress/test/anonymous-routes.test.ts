import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SITE_OPERATIONS } from '@steward/contract';
import { generateKeyPair } from '@steward/panel/ed25519';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

/**
 * Calls every route of the plugin without a key, by every way in. The routes come from the running WordPress, so a new
 * route is tested too.
 */
const wordpress = useLicensedSite();

/** The watchdog handles these before WordPress has routes. */
const ROUTES_OF_WATCHDOG = Object.keys(SITE_OPERATIONS).map((path) => `/service/v1/${path}`);
const HUGE = 'x'.repeat(1024 * 1024);
const INVALID_UTF8 = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x80, 0x22, 0x3a, 0x31, 0x7d]);
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

type Request = {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};
type Way = [name: string, request: (route: string) => Request];

const pretty = (route: string) => `/wp-json${route}`;
const ADDRESSES: Way[] = [
  ['pretty path', (route) => ({ path: pretty(route) })],
  ['cms-json', (route) => ({ path: `/cms-json${route}` })],
  ['index.php', (route) => ({ path: `/index.php/wp-json${route}` })],
  ['trailing slash', (route) => ({ path: `${pretty(route)}/` })],
  ['upper case', (route) => ({ path: pretty(route.toUpperCase()) })],
  ['double slash', (route) => ({ path: `//cms-json/${route}` })],
  ['rest_route', (route) => ({ path: `/?rest_route=${route}` })],
  ['rest_route in the body', (route) => form('/', { rest_route: route })],
  ['rest_route as a list', (route) => ({ path: `/?rest_route[]=${route}` })],
  ['rest_route twice', (route) => ({ path: `${pretty(route)}?rest_route=/service/v1/other` })],
];
const METHODS: Way[] = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'].flatMap((method): Way[] => [
  [method, (route) => ({ path: pretty(route), method })],
  [`_method=${method}`, (route) => ({ path: `${pretty(route)}?_method=${method}` })],
  [
    `X-HTTP-Method-Override: ${method}`,
    (route) => ({ path: pretty(route), headers: { 'x-http-method-override': method } }),
  ],
]);
const BODIES: Way[] = (
  [
    ['an object', '{}'],
    ['broken JSON', '{"action":'],
    ['a list', '[]'],
    ['a text', '"text"'],
    ['a number', '1e999'],
    ['null', 'null'],
    ['lists for texts', '{"action":[],"plugin":{"a":[1]},"items":"x","call":[],"challenge":{}}'],
    ['items of wrong types', '{"items":[[],1,null,{"type":[],"slug":{}}],"verdict":["broken"]}'],
    ['deep nesting', `${'['.repeat(600)}${']'.repeat(600)}`],
    ['1 MB', JSON.stringify({ plugin: HUGE })],
    ['invalid UTF-8', INVALID_UTF8],
  ] as const
).flatMap(([name, body]): Way[] => [
  [name, (route) => ({ path: pretty(route), headers: JSON_TYPE, body })],
  [`${name} in a form`, (route) => ({ path: pretty(route), headers: FORM_TYPE, body })],
]);
const PARAMETERS: Way[] = [
  '_envelope=1',
  '_fields[]=code',
  '_embed[]=1',
  '_jsonp=alert',
  '_locale[]=de',
  '_wpnonce[]=1',
  'steward_check[]=1',
  `steward_check=${'0'.repeat(16)}.${'0'.repeat(48)}`,
  `steward_guard=${'0'.repeat(48)}`,
  `x=${'%00%ff'.repeat(500)}`,
].map((query) => [query.slice(0, 40), (route) => ({ path: `${pretty(route)}?${query}` })]);
const HEADERS: Way[] = Object.entries({
  'x-service-key': ['', 'wrong', '\u00ff\u00fe', 'k'.repeat(6000)],
  'x-service-signature': ['', '====', `${','.repeat(3000)}`, 'AAAA'],
  'x-service-timestamp': ['-1', '9'.repeat(30)],
  'x-service-nonce': ['0'.repeat(32), "' OR 1=1"],
  'content-type': ['', 'application/json; charset=\u00ff'],
}).flatMap(([name, values]) =>
  values.map((value): Way => {
    const request = (route: string) => ({ path: pretty(route), headers: { [name]: value } });
    return [`${name}: ${value.slice(0, 10)}`, request];
  }),
);

function form(path: string, fields: Record<string, string>): Request {
  return { path, headers: FORM_TYPE, body: new URLSearchParams(fields).toString() };
}

/** All ways to call a route in a batch. */
const BATCHES: Way[] = ['normal', 'require-all-validate'].flatMap((validation) =>
  (
    [
      ['without a body', {}],
      ['with an empty body', { body: {} }],
      ['with lists for texts', { body: { action: [], plugin: [[]], items: 'x', challenge: [] } }],
      ['with headers', { headers: { 'X-Service-Key': ['a', 'b'], 'X-Service-Signature': 'x' } }],
      ['with PUT', { method: 'PUT' }],
      ['with DELETE', { method: 'DELETE', body: {} }],
    ] as const
  ).flatMap(([name, request]): Way[] =>
    ['/wp-json/batch/v1', '/?rest_route=/batch/v1'].map((path) => [
      `batch ${name}, ${validation}, ${path}`,
      (route) => {
        const requests = [route, `${route}/`, `${route}?_method=GET`].map((each) => ({
          ...{ path: each, method: 'POST' },
          ...request,
        }));
        return { path, headers: JSON_TYPE, body: JSON.stringify({ validation, requests }) };
      },
    ]),
  ),
);

async function send({ path, method = 'POST', headers = {}, body }: Request) {
  const response = await fetch(wordpress.site.url + path, {
    ...{ method, headers, redirect: 'manual' },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

/** The files and options of the plugin. Without transients: any visitor can start the update checks of WordPress. */
async function readState() {
  const content = join(wordpress.site.root, 'wp-content');
  const entries = await readdir(content, { recursive: true, withFileTypes: true });
  const hashes = new Map<string, string>();
  for (const { parentPath, name } of entries.filter((each) => each.isFile())) {
    const file = join(parentPath, name);
    if (!file.slice(content.length).includes('steward')) continue;
    // The requests that end in an error of WordPress are counted. The first error creates the folder.
    if (/\/steward-[0-9a-f]{32}\/(errors\.(php|lock)|index\.php|\.htaccess)$/.test(file)) continue;
    const hash = createHash('sha256').update(await readFile(file));
    hashes.set(file, hash.digest('hex'));
  }
  const options = await wordpress.site.query(
    `SELECT option_name, option_value FROM wp_options WHERE option_name REGEXP 'steward|^service_' AND option_name NOT LIKE '%transient%' ORDER BY option_name`,
  );
  return { files: Object.fromEntries(hashes), options };
}

/**
 * The entries of the error log that name the plugin. Without the plugin too, WordPress logs an error for lists in place of
 * `rest_route` and `_wpnonce`.
 */
async function readOwnErrors() {
  const entries = (await wordpress.site.debugLog()).split(/\n(?=\[\d)/);
  return entries.filter((entry) => /(plugins|wp-content)\/steward|Steward/.test(entry));
}

let routes: string[] = [];
beforeAll(async () => {
  const printed = await wordpress.site.runPhp(
    `echo wp_json_encode( array_keys( rest_get_server()->get_routes( 'service/v1' ) ) );`,
  );
  routes = [...new Set([...JSON.parse(printed), ...ROUTES_OF_WATCHDOG])].filter(
    (route) => route !== '/service/v1',
  );
  // The site requires signatures: then the body of each request is read.
  await wordpress.site.setOption('steward_panel_key', generateKeyPair().publicKey);
  // The first request writes caches of WordPress.
  await send({ path: pretty('/service/v1/remote/sync') });
});

/** Sends the requests to all routes, and returns those whose response is not as expected. */
async function findUnexpected(
  ways: Way[],
  isExpected: (response: Awaited<ReturnType<typeof send>>, name: string) => boolean,
) {
  await wordpress.site.clearDebugLog();
  const [before, serverLog] = [await readState(), await wordpress.site.serverLog()];
  const unexpected: unknown[] = [];
  for (const route of routes) {
    for (const [name, build] of ways) {
      const response = await send(build(route));
      if (!isExpected(response, name)) {
        unexpected.push([route, name, response.status, response.text.slice(0, 300)]);
      }
    }
  }
  expect(await readOwnErrors()).toEqual([]);
  expect(await wordpress.site.serverLog()).toBe(serverLog);
  expect(await readState()).toEqual(before);
  return unexpected;
}

const REFUSALS = ['invalid_service_key', 'invalid_signature'];
function isRefused({ status, text }: { status: number; text: string }): boolean {
  const body = parse(text);
  return status === 401 && body?.success === false && REFUSALS.includes(body.code);
}
function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

describe('a route of the plugin, called without a key', () => {
  it('is in the list of the contract, and the other way round', () => {
    expect(routes.toSorted()).toEqual(ROUTES_OF_WATCHDOG.toSorted());
  });

  it('is refused at every address', async () => {
    const unexpected = await findUnexpected(ADDRESSES, (response, name) =>
      name === 'rest_route as a list' || name === 'rest_route in the body'
        ? !response.text.includes('steward')
        : isRefused(response) || response.status === 404,
    );
    expect(unexpected).toEqual([]);
  });

  it('is refused with every method', async () => {
    const unexpected = await findUnexpected(
      METHODS,
      (response, name) =>
        isRefused(response) ||
        response.status === 404 ||
        (response.text === '' && name.includes('HEAD') && response.status === 401),
    );
    expect(unexpected).toEqual([]);
  });

  it('may be described by OPTIONS, which does nothing', async () => {
    const options: Way = ['OPTIONS', (route) => ({ path: pretty(route), method: 'OPTIONS' })];
    const unexpected = await findUnexpected([options], ({ status }) => status < 500);
    expect(unexpected).toEqual([]);
  });

  it('is refused with every body', async () => {
    expect(await findUnexpected(BODIES, isRefused)).toEqual([]);
  });

  it('is refused with every parameter and header', async () => {
    const unexpected = await findUnexpected(
      [...PARAMETERS, ...HEADERS],
      (response, name) =>
        isRefused(response) ||
        (name.startsWith('_envelope') && isRefused(unwrap(response.text))) ||
        (name.startsWith('_jsonp') && /invalid_(service_key|signature)/.test(response.text)) ||
        // nginx refuses the header before WordPress gets the request.
        response.status === 400,
    );
    expect(unexpected).toEqual([]);
  });

  it('is refused in every batch', async () => {
    const unexpected = await findUnexpected(BATCHES, ({ status, text }) => {
      const responses: { status: number }[] | null = parse(text)?.responses ?? null;
      const isEachRefused = responses?.every(
        (each) => each === null || (each.status >= 400 && each.status < 500),
      );
      return status === 400 || (status === 207 && isEachRefused === true);
    });
    expect(unexpected).toEqual([]);
  });
});

function unwrap(text: string) {
  const { status, body } = parse(text) ?? {};
  return { status, text: JSON.stringify(body ?? null) };
}

describe('other ways into the plugin', () => {
  it('finds no handler for visitors', async () => {
    const printed = await wordpress.site.runPhp(`
      $names = array_filter( array_keys( $GLOBALS['wp_filter'] ), function ( $name ) {
        return preg_match( '/^(wp_ajax_nopriv_|admin_post_nopriv_).*steward/', $name );
      } );
      echo wp_json_encode( array_values( $names ) );`);
    expect(JSON.parse(printed)).toEqual([]);
  });

  it('prints nothing when a file of the plugin is requested directly', async () => {
    await wordpress.site.clearDebugLog();
    const serverLog = await wordpress.site.serverLog();
    const root = join(wordpress.site.root, 'wp-content');
    for (const folder of [`plugins/${STEWARD.split('/')[0]}`, 'mu-plugins']) {
      const names = await readdir(join(root, folder), { recursive: true });
      for (const name of names.filter((each) => /steward|\//.test(each) && each.endsWith('.php'))) {
        const { text } = await send({ path: `/wp-content/${folder}/${name}`, method: 'GET' });
        expect([name, text]).toEqual([name, '']);
      }
    }
    expect(await readOwnErrors()).toEqual([]);
    expect(await wordpress.site.serverLog()).toBe(serverLog);
  });

  it('ignores actions of the settings page without a session', async () => {
    const before = await readState();
    const hooks = await wordpress.site.runPhp(`
      define( 'WP_ADMIN', true );
      ( new Steward\\Admin\\Settings_Page() )->register();
      echo implode( ' ', preg_grep( '/steward/', array_keys( $GLOBALS['wp_filter'] ) ) );`);
    expect(hooks).toMatch(/admin_post_steward|wp_ajax_steward/);
    for (const hook of hooks.split(' ')) {
      const action = hook.replace(/^(admin_post|wp_ajax)_/, '');
      for (const script of ['admin-post.php', 'admin-ajax.php']) {
        const fields = { action, license_key: 'x', panel_url: 'http://127.0.0.1:1' };
        const { status } = await send(form(`/wp-admin/${script}`, fields));
        expect([action, script, status < 500]).toEqual([action, script, true]);
      }
    }
    expect(await readState()).toEqual(before);
  });
});
