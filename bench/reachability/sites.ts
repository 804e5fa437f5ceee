/** A web server that responds like the home pages of many sites, after `latencyMs`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [latencyMs] = process.argv.slice(2);
const PAGE = `<!doctype html><html><body>${'<p>A page of usual size.</p>'.repeat(1500)}</body></html>`;
const server = createServer(async (_request, response) => {
  await sleep(Number(latencyMs));
  response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
});
server.listen(0, '0.0.0.0', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
