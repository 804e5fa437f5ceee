import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { guardRoutes } from '../../src/http/access.ts';
import { mapErrors } from '../../src/http/errors.ts';
import { screens } from '../../src/http/screens.ts';

const panel = useTestPanel();

function serve(directory: string) {
  const app = Fastify();
  guardRoutes(app, { ...panel.services, baseUrl: 'http://localhost' });
  mapErrors(app);
  app.register(screens, { directory });
  return app;
}

function createBuiltScreens(): string {
  const directory = temporaryFolder();
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Steward</title>');
  writeFileSync(join(directory, 'secret-outside.txt'), 'not an asset');
  const script = 'console.log(1)'.repeat(100);
  writeFileSync(join(directory, 'assets/index-AbCd12_9.js'), script);
  writeFileSync(join(directory, 'assets/index-AbCd12_9.js.gz'), gzipSync(script));
  writeFileSync(join(directory, 'assets/color-scheme.js'), script);
  return directory;
}

describe('the screens', () => {
  it.each(['/', '/docs', '/sites', '/sites/12?tag=a', '/no-such-page', '/sites?search=a.b/c.js'])(
    'are the same page at %s',
    async (url) => {
      const response = await serve(createBuiltScreens()).inject(url);
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toContain('text/html');
      expect(response.body).toContain('<title>Steward</title>');
      expect(response.headers['cache-control']).toBe('no-cache');
    },
  );

  it('allow only scripts of the panel, and no other site can frame them', async () => {
    const { headers } = await serve(createBuiltScreens()).inject('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("default-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  });

  it('let browsers cache a file forever if its name contains a hash of its content', async () => {
    const app = serve(createBuiltScreens());
    const hashed = await app.inject({
      url: '/assets/index-AbCd12_9.js',
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(hashed.statusCode).toBe(200);
    expect(hashed.headers['content-encoding']).toBe('gzip');
    expect(hashed.headers['cache-control']).toContain('immutable');
    const other = await app.inject('/assets/color-scheme.js');
    expect(other.headers['cache-control']).toBe('no-cache');
  });

  it.each([
    '/assets/missing.js',
    '/panel/no-such-call',
    '/api/v1/license/activate',
    '/remote/update',
    '/auth',
    '/panel?x=1',
    '/openapi.yaml',
    '/favicon.ico?v=1',
    '/robots.txt',
    '/sites/foo.js',
    '/.env',
  ])('respond 404 to a path without a page: %s', async (url) => {
    const response = await serve(createBuiltScreens()).inject(url);
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ success: false, code: 'not_found' });
  });

  it('do not let browsers cache the response to a missing file', async () => {
    const { statusCode, headers } = await serve(createBuiltScreens()).inject(
      '/assets/gone-AbCd12_9.js',
    );
    expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('serve no file outside their folder', async () => {
    const response = await serve(createBuiltScreens()).inject('/assets/..%2fsecret-outside.txt');
    expect(response.statusCode).toBe(400);
    expect(response.body).not.toContain('not an asset');
  });

  it('explain how to build them if they are not built', async () => {
    const response = await serve(join(temporaryFolder(), 'nothing')).inject('/');
    expect(response.statusCode).toBe(503);
    expect(response.body).toContain('npm run web:ready');
  });
});
