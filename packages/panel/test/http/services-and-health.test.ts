import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const panel = useTestPanel();

describe('GET /api/v1/services', () => {
  const get = (headers = {}) => panel.app.inject({ url: '/api/v1/services', headers });

  it('lists the catalogue with remote management, without a key', async () => {
    const response = await get();
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ success: true });
    const remote = response
      .json()
      .services.find((each: { slug: string }) => each.slug === 'remote');
    expect(Object.keys(remote).sort()).toEqual([
      'category',
      'description',
      'name',
      'slug',
      'version',
    ]);
    expect(remote).toMatchObject({ name: 'Remote management', version: '1.0.0' });
    expect(remote.description).toContain('Update plugins, themes and core from the panel');
  });

  it('is cacheable: ETag, Cache-Control, and 304 if unchanged', async () => {
    const first = await get();
    expect(first.headers['cache-control']).toContain('max-age');
    const second = await get({ 'if-none-match': first.headers.etag });
    expect([second.statusCode, second.body]).toEqual([304, '']);
  });
});

describe('an unknown path or method', () => {
  for (const [method, url] of [
    ['GET', '/api/v1/license/check'],
    ['PUT', '/api/v1/license/activate'],
    ['DELETE', '/api/v1/services'],
    ['POST', '/api/v1/license/nothing'],
    ['POST', '/api/v1/'],
    ['POST', '/api/v1/license/check/'],
  ] as const) {
    it(`responds 404 to ${method} ${url}`, async () => {
      const response = await panel.app.inject({ method, url });
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ success: false, code: 'not_found' });
    });
  }
});

describe('health', () => {
  it('is live and ready with a database', async () => {
    expect((await panel.app.inject('/healthz')).statusCode).toBe(200);
    expect((await panel.app.inject('/readyz')).statusCode).toBe(200);
  });

  it('is live but not ready without a database', async () => {
    await panel.executeAsTableOwner('ALTER TABLE panel_settings RENAME TO gone');
    onTestFinished(() => panel.executeAsTableOwner('ALTER TABLE gone RENAME TO panel_settings'));
    expect((await panel.app.inject('/healthz')).statusCode).toBe(200);
    const ready = await panel.app.inject('/readyz');
    expect([ready.statusCode, ready.json().code]).toEqual([503, 'unavailable']);
    expect(ready.headers['retry-after']).toBeDefined();
  });

  it('responds 503 with Retry-After while overloaded', async () => {
    panel.fakes.overloaded = true;
    onTestFinished(() => {
      panel.fakes.overloaded = false;
    });
    const response = await panel.post('/api/v1/license/check', {});
    expect([response.status, response.body.code]).toEqual([503, 'unavailable']);
    expect(response.headers['retry-after']).toBeDefined();
  });
});

describe('rate limit', () => {
  const limited = useTestPanel({ rateLimitPerMinute: 3 });

  it('responds 429 with Retry-After and reveals nothing about the license', async () => {
    const { license_key } = await limited.license();
    const responses = [];
    for (let call = 0; call < 4; call++) {
      responses.push(await limited.post('/api/v1/license/validate', { license_key }));
    }
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(responses[3]?.body).toMatchObject({ success: false, code: 'rate_limited' });
    expect(Number(responses[3]?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await limited.app.inject('/healthz')).statusCode).toBe(200);
  });

  const countAllowed = async (addresses: string[], url = '/api/v1/services') => {
    let allowed = 0;
    for (const remoteAddress of addresses) {
      const { statusCode } = await limited.app.inject({ url, remoteAddress });
      if (statusCode !== 429) allowed++;
    }
    return allowed;
  };

  it('counts an IPv6 network of 64 bits as one client', async () => {
    const network = Array.from({ length: 10 }, (_, host) => `2001:db8:1:2:${host}:${host}:0:1`);
    expect(await countAllowed(network)).toBe(3);
    expect(await countAllowed(['2001:db8:1:3::1'])).toBe(1);
  });

  it('counts an IPv4 address as one client in each of its forms', async () => {
    const forms = ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:cb00:7107', '203.0.113.7'];
    expect(await countAllowed([...forms, ...forms])).toBe(3);
    expect(await countAllowed(['203.0.113.8'])).toBe(1);
  });

  it('counts downloads of the plugin in the same way', async () => {
    const url = '/api/v1/plugin/STWE-X/steward.zip';
    const network = Array.from({ length: 130 }, (_, host) => `2001:db8:9:9::${host + 1}`);
    expect(await countAllowed(network, url)).toBe(120);
  });
});

describe('GET /openapi.json', () => {
  it('describes the six endpoints for sites', async () => {
    const { paths } = (await panel.app.inject('/openapi.json')).json();
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/api/v1/license/validate',
        '/api/v1/license/activate',
        '/api/v1/license/deactivate',
        '/api/v1/license/check',
        '/api/v1/site/verify',
        '/api/v1/services',
      ]),
    );
  });
});
