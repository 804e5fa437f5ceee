import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type ReceivedWebhook = {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
};

/** The status of a response, or `hang` for no response. The last of several planned responses repeats. */
export type PlannedResponse = number | 'hang';

/** Starts an HTTP server that keeps all requests, by path. `onRequest` is called when one arrives. */
export async function startWebhookReceiver(
  onRequest: (request: ReceivedWebhook) => void = () => {},
) {
  const requests: ReceivedWebhook[] = [];
  const responses = new Map<string, PlannedResponse[]>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? '/';
    const received = { path, headers: request.headers, body };
    requests.push(received);
    onRequest(received);
    const planned = responses.get(path) ?? [200];
    const next = planned.length > 1 ? planned.shift() : planned[0];
    if (next === 'hang') return;
    const location = next === 302 ? { location: '/elsewhere' } : {};
    response.writeHead(next ?? 200, location).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requestsTo: (path: string) => requests.filter((request) => request.path === path),
    respond: (path: string, ...planned: PlannedResponse[]) => responses.set(path, planned),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;
