import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { SiteHandler } from './site-handler.ts';

const BODY_LIMIT_BYTES = 256 * 1024;

/** Serves fetch-style handlers over HTTP. `selectSite` selects the handler by the path of the request. */
export function createSiteServer(
  selectSite: (pathname: string) => SiteHandler | undefined,
): Server {
  return createServer((incoming, outgoing) => {
    respond(selectSite, incoming, outgoing).catch(() => {
      // `URL` throws for an invalid host and `Request` for an invalid method. Both are client errors.
      if (outgoing.headersSent) incoming.socket.destroy();
      else outgoing.writeHead(400).end();
    });
  });
}

/** Selects one of many sites by the first path segment: `/shop/…` is the site `shop`. */
export function selectByFirstSegment(sites: ReadonlyMap<string, SiteHandler>) {
  return (pathname: string) => sites.get(pathname.split('/')[1] ?? '');
}

async function respond(
  selectSite: (pathname: string) => SiteHandler | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`);
  const handler = selectSite(url.pathname);
  const body = await readBody(incoming);
  const response = handler
    ? await handler(toRequest(incoming, url, body)).catch(() => new Response(null, { status: 500 }))
    : new Response(null, { status: 404 });
  // A handler returns `Response.error()` to simulate a network error, so close the connection without a response.
  if (response.type === 'error') {
    incoming.socket.destroy();
    return;
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

function toRequest(incoming: IncomingMessage, url: URL, body: Buffer): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, { method, headers, ...(hasBody && { body: new Uint8Array(body) }) });
}

/** Discards bytes above `BODY_LIMIT_BYTES`. The handler has a lower limit, so it still refuses the shortened body. */
async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
