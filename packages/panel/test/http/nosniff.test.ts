import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

describe('X-Content-Type-Options: nosniff', () => {
  const panel = useTestPanel();

  for (const [what, method, url] of [
    ['the page', 'GET', '/'],
    ['a missing file of the screens', 'GET', '/assets/nothing.js'],
    ['a JSON response', 'GET', '/api/v1/services'],
    ['the description of the API', 'GET', '/openapi.json'],
    ['a refused body', 'POST', '/api/v1/license/check'],
    ['a call without a session', 'GET', '/panel/sites'],
    ['an unknown path', 'POST', '/api/v1/nothing'],
    ['a path that cannot be decoded', 'GET', '/%E0%A4%A'],
  ] as const) {
    it(`is on ${what}`, async () => {
      const { headers } = await panel.app.inject({ method, url });
      expect(headers['x-content-type-options']).toBe('nosniff');
    });
  }

  it('is on the response to bytes that are not HTTP', async () => {
    const { port } = new URL(await panel.app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('<script>\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*^X-Content-Type-Options: nosniff\r$/ms);
  });
});
