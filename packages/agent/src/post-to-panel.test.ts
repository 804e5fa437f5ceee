import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFreePort } from '@steward/testkit/free-port.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../test/support/served-site.ts';
import { postToPanel } from './post-to-panel.ts';

describe('a request to the panel', () => {
  let server: Server;
  let url = '';
  let panelResponse = { status: 200, headers: {}, body: '{}' };
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(panelResponse.status, panelResponse.headers).end(panelResponse.body);
      });
    });
    await listen(server);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  const messageOf = (panelUrl: string) =>
    postToPanel(panelUrl, 'license/check', {}).then(
      () => 'no error',
      (error: Error) => error.message,
    );

  it('names the address, the reason and the next step if no program listens at the address', async () => {
    const closed = `http://127.0.0.1:${await findFreePort()}`;
    expect(await messageOf(`${closed}/`)).toBe(
      `Could not reach the panel at ${closed}. The connection was refused. Check the address, and that the panel is running.`,
    );
  });

  it('names a host name that does not exist', async () => {
    expect(await messageOf('http://panel.invalid')).toMatch(
      /^Could not reach the panel at http:\/\/panel\.invalid\. The host name (was not found|could not be resolved)\. Check the address/,
    );
  });

  it('explains https to a panel without TLS', async () => {
    expect(await messageOf(url.replace('http:', 'https:'))).toMatch(
      /does not use TLS correctly .* Check whether the address begins with http or https\.$/,
    );
  });

  it.each(['localhost:8080', 'panel.example.com', 'ftp://panel.example.com', ''])(
    'refuses the address %j',
    async (address) => {
      expect(await messageOf(address)).toMatch(/^The address of the panel is not valid\./);
    },
  );

  it('prints no password of an address', async () => {
    const message = await messageOf('https://olga:secret@panel.example.com');
    expect(message).toBe(
      'The address of the panel at panel.example.com contains a user name or a password. Remove it.',
    );
  });

  it.each([
    [
      301,
      { location: 'https://www.example.com/' },
      '',
      'redirects to https://www.example.com/. Use',
    ],
    [
      200,
      {},
      '<html>home page</html>',
      'did not respond with JSON. Check that this is the address',
    ],
    [502, {}, '<html>bad gateway</html>', 'responded with status 502. Check the address, the log'],
    [503, {}, '{}', 'responded with status 503. It is overloaded or starting.'],
    [
      429,
      {},
      '{"success":false,"code":"rate_limited","error":"This site has sent 200 changed reports today."}',
      'status 429. This site has sent 200 changed reports today.',
    ],
    [429, {}, '{}', 'status 429. It received too many requests from the IP address of this site.'],
  ])('explains status %i', async (status, headers, body, expected) => {
    panelResponse = { status, headers, body };
    const message = await messageOf(url);
    expect(message).toContain(url);
    expect(message).toContain(expected);
  });
});
