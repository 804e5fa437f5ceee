import { existsSync } from 'node:fs';
import { join } from 'node:path';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../platform/app-error.ts';

export const SCREENS_DIR = join(import.meta.dirname, '../../../web/dist');

/** Below these there are no pages, only calls: what is not found there is not found. */
const CALLS = /^\/(api|auth|panel|remote|assets)([/?]|$)/;
/** Named after their content, so they never change. */
const NAMED_BY_CONTENT = /-[\w-]{8}\.\w+$/;

/**
 * Pages load our own files only, and no other site can frame them. Components set styles on elements, which is harmless
 * where no foreign script can run.
 */
const PAGE_HEADERS: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  referrerPolicy: { policy: 'same-origin' },
  xFrameOptions: { action: 'deny' },
  // The proxy that ends TLS sets it: its operator knows whether all subdomains have a certificate.
  strictTransportSecurity: false,
};

type Options = { directory?: string };

/** The screens: one page for every address that is not a call, and the files it is made of. */
export const screens: FastifyPluginAsync<Options> = async (app, { directory = SCREENS_DIR }) => {
  // Registered here, not for the whole app: its hooks would run for every call of a site.
  await app.register(helmet, PAGE_HEADERS);
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
    reply.header('cache-control', 'no-cache');
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
