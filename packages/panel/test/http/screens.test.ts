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
  guardRoutes(app, { sessions: panel.services.sessions, baseUrl: 'http://localhost' });
  mapErrors(app);
  app.register(screens, { directory });
  return app;
}

function builtScreens(): string {
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
  it.each(['/', '/sites', '/sites/12?tag=a', '/no-such-page'])(
    'are one page, at %s',
    async (url) => {
      const answer = await serve(builtScreens()).inject(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toContain('text/html');
      expect(answer.body).toContain('<title>Steward</title>');
      expect(answer.headers['cache-control']).toBe('no-cache');
    },
  );

  it('allow no script but their own files, and no frame around them', async () => {
    const { headers } = await serve(builtScreens()).inject('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("default-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  });

  it('are made of files that are kept for good when their name has their content', async () => {
    const app = serve(builtScreens());
    const named = await app.inject({
      url: '/assets/index-AbCd12_9.js',
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(named.statusCode).toBe(200);
    expect(named.headers['content-encoding']).toBe('gzip');
    expect(named.headers['cache-control']).toContain('immutable');
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
  ])('do not answer for what is no page: %s', async (url) => {
    const answer = await serve(builtScreens()).inject(url);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ success: false, code: 'not_found' });
  });

  it('are not remembered as missing by anybody', async () => {
    const { statusCode, headers } = await serve(builtScreens()).inject('/assets/gone-AbCd12_9.js');
    expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('lead to no file but their own', async () => {
    const answer = await serve(builtScreens()).inject('/assets/..%2fsecret-outside.txt');
    expect(answer.statusCode).toBe(400);
    expect(answer.body).not.toContain('not an asset');
  });

  it('say how to build them when that has not been done', async () => {
    const answer = await serve(join(temporaryFolder(), 'nothing')).inject('/');
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain('npm run web:ready');
  });
});
