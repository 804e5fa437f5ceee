import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { registerSecret } from '@steward/testkit/logs.ts';
import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { EXPIRED_SHOP_CERTIFICATE, TLS_KEY } from '@steward/testkit/sites/certificates.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const STEWARD_TOKEN = 'stw_pat_a-token-that-no-output-may-contain-0000000';
registerSecret(STEWARD_TOKEN);

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const startServer = async (respond: RequestListener) =>
  `http://${await listen(createServer(respond))}`;

const list = (STEWARD_URL: string, env: NodeJS.ProcessEnv = { STEWARD_TOKEN }) =>
  runSteward(['site', 'list'], { STEWARD_URL, ...env });

/** Starts a server that responds like a reverse proxy, a login page or another program in front of the panel. */
const respondWith = (status: number, type: string, body: string, headers = {}) =>
  startServer((_request, response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  });

async function expectLine(url: string, message: RegExp): Promise<void> {
  const failed = await list(url);
  expectFailure(failed, message);
  expect(failed.stderr).not.toContain('stw_pat_');
}

describe('npx steward with STEWARD_URL prints one line', () => {
  it('for a panel that is not reachable', async () => {
    const server = createServer();
    const address = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    await expectLine(`http://${address}`, /Cannot reach the panel at http:\S+ \(ECONNREFUSED\)/);
  });

  it('for a certificate that is not valid', async () => {
    const certificate = { key: TLS_KEY, cert: EXPIRED_SHOP_CERTIFICATE };
    const address = await listen(createTlsServer(certificate, (_, response) => response.end()));
    await expectLine(`https://${address}`, /certificate of .* is not valid .*NODE_EXTRA_CA_CERTS/);
  });

  it('for https on a port without TLS', async () => {
    const url = await respondWith(200, 'application/json', '{}');
    await expectLine(url.replace('http:', 'https:'), /does not use TLS correctly/);
  });

  it.each([
    [502, /a web page instead of JSON \(HTTP 502\)/],
    [200, /a web page instead of JSON \(HTTP 200\)/],
  ])('for the web page of a proxy with status %i', async (status, message) => {
    await expectLine(await respondWith(status, 'text/html', '<h1>Sign in</h1>'), message);
  });

  it('for JSON of another program', async () => {
    const json = 'application/json';
    await expectLine(await respondWith(200, json, '{"name":"other"}'), /something else instead of/);
    await expectLine(await respondWith(200, json, '{"success": tru'), /something else instead of/);
  });

  it('for errors of the panel, with its next step', async () => {
    const error = (code: string, text: string) =>
      JSON.stringify({ success: false, code, error: text });
    const json = 'application/json; charset=utf-8';
    const expired = error('token_invalid', 'This access token is not valid.\u001b[2J');
    await expectLine(await respondWith(401, json, expired), /steward: This access token is not/);
    const limited = error('rate_limited', 'Too many.');
    const tooMany = await respondWith(429, json, limited, { 'retry-after': '17' });
    await expectLine(tooMany, /Too many requests\. Try again in 17 seconds\./);
    const old = error('not_found', 'This endpoint does not exist.');
    await expectLine(await respondWith(404, json, old), /version of steward that the panel has/);
    expect((await list(await respondWith(401, json, expired))).stderr).not.toContain('\u001b');
  });

  it('for a lost answer, with the advice to check for the run first', async () => {
    const url = await startServer((request, response) => {
      if (request.method === 'POST') return void request.socket.destroy();
      const body = { success: true, site_ids: [1], is_complete: true, pending: {} };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    });
    const env = { STEWARD_URL: url, STEWARD_TOKEN };
    const failed = await runSteward(['site', 'sync', '--all'], env);
    expectFailure(failed, /Cannot reach .* The run may have started: check with steward run list/);
  });

  it.each([
    [503, 'unavailable'],
    [500, 'internal_error'],
  ])('for HTTP %i with %s, with the same advice', async (status, code) => {
    const url = await startServer((request, response) => {
      const isStart = request.method === 'POST';
      const body = isStart
        ? { success: false, code, error: 'It failed.' }
        : { success: true, site_ids: [1], is_complete: true, pending: {} };
      response.writeHead(isStart ? status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    const env = { STEWARD_URL: url, STEWARD_TOKEN };
    const failed = await runSteward(['site', 'sync', '--all'], env);
    expectFailure(failed, /It failed\. The run may have started: check with steward run list/);
  });

  it('for a redirect, without sending the token there', async () => {
    const authorizations: (string | undefined)[] = [];
    const login = await startServer(({ headers }, response) => {
      authorizations.push(headers.authorization);
      response.end();
    });
    const location = `${login}/login?return=secret`;
    const url = await respondWith(302, 'text/html', '', { location });
    await expectLine(url, /redirects to http:\/\/127\.0\.0\.1:\d+\/login\. The token was not sent/);
    expect(authorizations).toEqual([]);
  });

  it('for invalid settings', async () => {
    await expectLine('http://panel.example.com', /others on the network .* --insecure-http/);
    await expectLine('panel.example.com', /STEWARD_URL must be the address/);
    await expectLine('https://user:pass@panel.example.com', /must contain no password/);
    const url = 'https://panel.example.com';
    expectFailure(await list(url, {}), /Set STEWARD_TOKEN or STEWARD_TOKEN_FILE/);
    const broken = await list(url, { STEWARD_TOKEN: `${STEWARD_TOKEN}\nx` });
    expectFailure(broken, /contains a character that no token has/);
    expectFailure(await list(url, { STEWARD_TOKEN_FILE: '/none' }), /STEWARD_TOKEN_FILE.*ENOENT/);
  });

  it('for an empty address, and for a token without an address', async () => {
    expectFailure(await list(''), /STEWARD_URL is empty\..* unset it/);
    expectFailure(await list(' '), /STEWARD_URL is empty/);
    const withEmptyOption = await runSteward(['site', 'list', '--panel', ''], { STEWARD_TOKEN });
    expectFailure(withEmptyOption, /--panel is empty/);
    for (const name of ['STEWARD_TOKEN', 'STEWARD_TOKEN_FILE']) {
      const failed = await runSteward(['site', 'list'], { [name]: STEWARD_TOKEN });
      expectFailure(failed, new RegExp(`${name} is set, but no address of a panel`));
    }
    const url = await respondWith(401, 'application/json', '{"success":false,"error":"Sent."}');
    const env = { STEWARD_URL: '', STEWARD_TOKEN };
    expectFailure(await runSteward(['site', 'list', '--panel', url], env), /Sent\./);
    const license = await runSteward(['license', 'list'], { STEWARD_URL: '' });
    expectFailure(license, /STEWARD_URL is empty/);
  });

  it('for commands that work only on the machine of the panel', async () => {
    const env = { STEWARD_URL: 'https://panel.example.com', STEWARD_TOKEN };
    for (const command of ['license list', 'backup b.zip', 'migrate', 'rollout list']) {
      const failed = await runSteward(command.split(' '), env);
      expectFailure(failed, /works on the panel's own machine only/);
    }
  });
});

it('npx steward reads the token from a file, and --panel replaces STEWARD_URL', async () => {
  const seen: (string | undefined)[] = [];
  const url = await startServer(({ headers, url: path }, response) => {
    seen.push(path, headers.authorization);
    const body = { success: true, sites: [], next_cursor: null, total: null };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  });
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, `${STEWARD_TOKEN}\n`);
  const env = { STEWARD_URL: 'https://panel.example.com', STEWARD_TOKEN_FILE: file };
  const listed = await runSteward(['site', 'list', '--panel', `${url}/steward/`], env);
  expect(listed).toEqual({ code: 0, stdout: 'No sites found.\n', stderr: '' });
  expect(seen).toEqual(['/steward/panel/sites?sort=name&limit=50', `Bearer ${STEWARD_TOKEN}`]);
});
