import { connect } from 'node:net';
import { newToken } from '@steward/testkit/panel/access-token.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

/** Sends the bytes as they are: HTTP clients would merge or refuse some of these headers. */
function send(url: string, headers: string[]): Promise<{ status: number; code?: string }> {
  const { hostname, port } = new URL(url);
  const lines = ['GET /panel/sites HTTP/1.1', `Host: ${hostname}`, 'Connection: close', ...headers];
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    });
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve({
        status: Number(text.split(' ', 2)[1]),
        ...(/"code":"(\w+)"/.exec(text) && { code: /"code":"(\w+)"/.exec(text)?.[1] ?? '' }),
      });
    });
  });
}

describe('the Authorization header', () => {
  const { panel, owner } = usePanelWithOwner();
  let url: string;
  let secret: string;
  beforeAll(async () => {
    url = await panel.app.listen({ port: 0, host: '127.0.0.1' });
    ({ secret } = await newToken(panel, owner));
  });

  const OK = { status: 200 };
  const INVALID = { status: 401, code: 'token_invalid' };
  const cookie = () => `Cookie: ${owner.cookie}`;

  it('accepts any case of the scheme and surrounding spaces', async () => {
    for (const header of [
      `Authorization: Bearer ${secret}`,
      `authorization: bearer ${secret}`,
      `AUTHORIZATION:BEARER    ${secret}   `,
    ]) {
      expect(await send(url, [header])).toEqual(OK);
    }
  });

  it('accepts no other spelling of a token, also with a valid cookie', async () => {
    for (const value of [
      `Bearer ${secret}x`,
      `Bearer ${secret.slice(0, -1)}`,
      `Bearer ${secret} ${secret}`,
      `Bearer ${secret}, Bearer ${secret}`,
      `Bearer ${secret}%00`,
      `Bearer stw_pat_`,
    ]) {
      expect([value, await send(url, [`Authorization: ${value}`, cookie()])]).toEqual([
        value,
        INVALID,
      ]);
    }
  });

  it('accepts no guessed token, while another one is valid', async () => {
    const changed = secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const guess of [changed, `stw_pat_${'A'.repeat(43)}`]) {
      expect(await send(url, [`Authorization: Bearer ${guess}`])).toEqual(INVALID);
    }
    expect(await send(url, [`Authorization: Bearer ${secret}`])).toEqual(OK);
  });

  it('does not find a token in another scheme or in upper case', async () => {
    expect(await send(url, [`Authorization: Basic ${secret}`])).toEqual({
      status: 401,
      code: 'unauthenticated',
    });
    expect(await send(url, [`Authorization: ${secret}`])).toEqual({
      status: 401,
      code: 'unauthenticated',
    });
    expect(await send(url, [`Authorization: Bearer ${secret.toUpperCase()}`])).toEqual(INVALID);
  });

  it('is refused if it is sent twice, in any order and with the same token', async () => {
    const own = `Authorization: Bearer ${secret}`;
    for (const other of [own, 'Authorization: Basic dTpw', `Authorization: Bearer x`]) {
      expect(await send(url, [own, other])).toEqual(INVALID);
      expect(await send(url, [other, own, cookie()])).toEqual(INVALID);
    }
  });

  it('does not hide a session if a proxy adds its own credentials', async () => {
    for (const value of ['Basic dTpw', 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.sig', 'Negotiate abc']) {
      expect(await send(url, [`Authorization: ${value}`, cookie()])).toEqual(OK);
    }
    expect(await send(url, ['Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.e30.sig'])).toEqual(
      INVALID,
    );
  });

  it('can be of any size without an effect on others', async () => {
    const huge = await send(url, [`Authorization: Bearer stw_pat_${'a'.repeat(1_000_000)}`]);
    expect(huge).toEqual({ status: 400, code: 'invalid_request' });
    expect(await send(url, [`Authorization: Bearer ${'a'.repeat(10_000)}`])).toEqual(INVALID);
    expect(await send(url, [`Authorization: Bearer ${secret}`])).toEqual(OK);
  });
});

describe('the rate limit', () => {
  const limited = useTestPanel({ rateLimitPerMinute: 3 });

  it('counts requests with invalid tokens', async () => {
    const headers = { authorization: `Bearer stw_pat_${'A'.repeat(43)}` };
    const statuses = [];
    for (let call = 0; call < 4; call++) {
      const { statusCode } = await limited.app.inject({ url: '/panel/sites', headers });
      statuses.push(statusCode);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it('is registered once', () => {
    expect(limited.app.printPlugins().match(/@fastify\/rate-limit/g)).toHaveLength(1);
  });
});
