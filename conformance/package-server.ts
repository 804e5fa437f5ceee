import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Package } from '@steward/contract';

/**
 * Serves packages in place of the panel: a site accepts packages only from its panel. Forwards other requests to the
 * real panel of the site, if there is one.
 */
export type PackageServer = Awaited<ReturnType<typeof startPackageServer>>;

export async function startPackageServer(getPanelUrl: () => string | undefined) {
  const responses = new Map<string, (response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const respond = responses.get(request.url ?? '');
    if (respond) return respond(response);
    forward(request, response, getPanelUrl()).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const serve = (respond: (response: ServerResponse) => void) => {
    const path = `/packages/${responses.size + 1}.zip`;
    responses.set(path, respond);
    return url + path;
  };
  return {
    url,
    publish: (zip: Buffer): Package => ({
      url: serve((response) => response.writeHead(200).end(zip)),
      sha256: createHash('sha256').update(zip).digest('hex'),
      size: zip.length,
    }),
    /** Returns a link that redirects. */
    redirect: (target: string) =>
      serve((response) => response.writeHead(302, { location: target }).end()),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  panelUrl: string | undefined,
): Promise<void> {
  if (panelUrl === undefined) {
    response.writeHead(404).end();
    return;
  }
  const forwarded = await fetch(panelUrl + request.url, {
    method: request.method ?? 'GET',
    headers: { 'content-type': 'application/json' },
    ...(request.method === 'POST' && { body: await text(request) }),
  });
  response.writeHead(forwarded.status, { 'content-type': 'application/json' });
  response.end(await forwarded.text());
}
