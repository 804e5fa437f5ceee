import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const panel = useTestPanel();

describe('GET /api/v1/services', () => {
  const get = (headers = {}) => panel.app.inject({ url: '/api/v1/services', headers });

  it('lists the catalogue, Remote among it, without a key', async () => {
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

  it('can be cached: an ETag, a Cache-Control, and 304 when nothing changed', async () => {
    const first = await get();
    expect(first.headers['cache-control']).toContain('max-age');
    const second = await get({ 'if-none-match': first.headers.etag });
    expect([second.statusCode, second.body]).toEqual([304, '']);
  });
});

describe('a path or method that there is not', () => {
  for (const [method, url] of [
    ['GET', '/api/v1/license/check'],
    ['PUT', '/api/v1/license/activate'],
    ['DELETE', '/api/v1/services'],
    ['POST', '/api/v1/license/nothing'],
    ['POST', '/api/v1/'],
    ['POST', '/api/v1/license/check/'],
  ] as const) {
    it(`answers 404 to ${method} ${url}`, async () => {
      const response = await panel.app.inject({ method, url });
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ success: false, code: 'not_found' });
    });
  }
});

describe('health', () => {
  it('is alive and ready with a database', async () => {
    expect((await panel.app.inject('/healthz')).statusCode).toBe(200);
    expect((await panel.app.inject('/readyz')).statusCode).toBe(200);
  });

  it('is alive but not ready without one', async () => {
    await panel.asOwner('ALTER TABLE panel_settings RENAME TO gone');
    onTestFinished(() => panel.asOwner('ALTER TABLE gone RENAME TO panel_settings'));
    expect((await panel.app.inject('/healthz')).statusCode).toBe(200);
    const ready = await panel.app.inject('/readyz');
    expect([ready.statusCode, ready.json().code]).toEqual([503, 'unavailable']);
    expect(ready.headers['retry-after']).toBeDefined();
  });

  it('answers 503 with Retry-After while it is overloaded', async () => {
    panel.edges.overloaded = true;
    onTestFinished(() => {
      panel.edges.overloaded = false;
    });
    const answer = await panel.post('/api/v1/license/check', {});
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    expect(answer.headers['retry-after']).toBeDefined();
  });
});

describe('rate limit', () => {
  const limited = useTestPanel({ rateLimitPerMinute: 3 });

  it('answers 429 with Retry-After, and says nothing about the license', async () => {
    const { license_key } = await limited.license();
    const answers = [];
    for (let call = 0; call < 4; call++) {
      answers.push(await limited.post('/api/v1/license/validate', { license_key }));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[3]?.body).toMatchObject({ success: false, code: 'rate_limited' });
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await limited.app.inject('/healthz')).statusCode).toBe(200);
  });
});

describe('GET /openapi.json', () => {
  it('describes the six endpoints', async () => {
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
