import { existsSync } from 'node:fs';
import { join } from 'node:path';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import { INSTALLED } from '../platform/installation.ts';

/** Paths without pages: an unknown path here gets 404 instead of index.html. */
const PATHS_WITHOUT_PAGES = /^\/(api|auth|panel|remote|assets)([/?]|$)/;
/** The file name contains a hash of the content, so the content never changes. */
const HASHED_NAME = /-[\w-]{8}\.\w+$/;

/**
 * Pages load only files of the panel, and no other site can frame them. Inline styles are allowed because components
 * set them; they are harmless without foreign scripts.
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
  // The proxy that terminates TLS sets HSTS: its operator knows whether all subdomains have a certificate.
  strictTransportSecurity: false,
};

type Options = { directory?: string };

/** Serves index.html for every path of the web app, and its asset files. */
/**
 * No path of a page has a dot in its last part, so this is a file that does not exist, such as /favicon.ico. With index.html
 * as the response, a client would take the page for the file.
 */
function namesFile(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return path.slice(path.lastIndexOf('/')).includes('.');
}

export const screens: FastifyPluginAsync<Options> = async (
  app,
  { directory = INSTALLED.screens },
) => {
  // Registered here and not for the whole app, where its hooks would run for every request of a site.
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
      const cacheControl = HASHED_NAME.test(name)
        ? 'public, max-age=31536000, immutable'
        : 'no-cache';
      reply.header('cache-control', cacheControl);
      return reply.sendFile(name, join(directory, 'assets'));
    },
  );

  app.get('/*', { config: { access: 'public' }, schema: { hide: true } }, (request, reply) => {
    const hasPage = !PATHS_WITHOUT_PAGES.test(request.url) && !namesFile(request.url);
    if (!hasPage) throw new AppError('not_found');
    reply.header('cache-control', 'no-cache');
    if (!existsSync(join(directory, 'index.html'))) {
      return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT_PAGE);
    }
    return reply.sendFile('index.html');
  });
};

const NOT_BUILT_PAGE = `<!doctype html><html lang="en"><title>Steward</title>
<h1>The screens are not built</h1>
<p>Run <code>npm run web:ready</code> in the folder of the panel, then reload this page.
<code>npm start</code> builds them automatically.</p></html>
`;
