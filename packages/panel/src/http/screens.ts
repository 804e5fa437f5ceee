import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../platform/app-error.ts';

export const SCREENS_DIR = join(import.meta.dirname, '../../../web/dist');

/** Below these there are no pages, only calls: what is not found there is not found. */
const CALLS = /^\/(api|auth|panel|remote|assets)([/?]|$)/;
/** Named after their content, so they never change. */
const NAMED_BY_CONTENT = /-[\w-]{8}\.\w+$/;

/**
 * No script but our own files, nothing from elsewhere, and no other page may frame ours. Styles are
 * set on elements by the components, which is harmless where no script can be.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-cache',
};

type Options = { directory?: string };

/** The screens: one page for every address that is not a call, and the files it is made of. */
export const screens: FastifyPluginAsync<Options> = async (app, { directory = SCREENS_DIR }) => {
  await app.register(fastifyStatic, {
    root: directory,
    serve: false,
    preCompressed: true,
    cacheControl: false,
  });

  app.get<{ Params: { '*': string } }>(
    '/assets/*',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const name = request.params['*'];
      const lasting = NAMED_BY_CONTENT.test(name)
        ? 'public, max-age=31536000, immutable'
        : 'no-cache';
      reply.header('cache-control', lasting);
      return reply.sendFile(name, join(directory, 'assets'));
    },
  );

  app.get('/*', { config: { access: 'public' }, schema: { hide: true } }, (request, reply) => {
    if (CALLS.test(request.url)) throw new AppError('not_found');
    reply.headers(PAGE_HEADERS);
    if (!existsSync(join(directory, 'index.html'))) {
      return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT);
    }
    return reply.sendFile('index.html');
  });
};

const NOT_BUILT = `<!doctype html><html lang="en"><title>Steward</title>
<h1>The screens have not been built</h1>
<p>Run <code>npm run web:ready</code> in the folder of the panel, then reload this page.
<code>npm start</code> does it by itself.</p></html>
`;
