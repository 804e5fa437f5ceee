import { createServer } from 'node:http';
import {
  createTarget,
  SERVICE_KEY,
  siteClient,
  startFakeSite,
  startHttpSite,
} from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it } from 'vitest';

describe('a site at a private address', () => {
  const notCalled = {
    kind: 'failed',
    code: 'site_unreachable',
    reason: 'private_address',
    sent: false,
    httpStatus: null,
    error: expect.stringContaining('ALLOW_PRIVATE_SITES'),
  };
  const strict = { allowPrivateSites: false };

  for (const host of [
    '127.0.0.1',
    '127.8.8.8',
    '10.1.2.3',
    '169.254.169.254',
    '100.64.0.1',
    '192.168.1.1',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
  ]) {
    it(`is not called: ${host}`, async () => {
      const { port, connections } = await startFakeSite(createServer());
      const outcome = await siteClient(strict).sync(createTarget(`http://${host}:${port}`));
      expect(outcome).toMatchObject(notCalled);
      expect(connections()).toBe(0);
    });
  }

  for (const host of [
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
  ]) {
    it(`is not called in another notation: ${host}`, async () => {
      const { port, connections } = await startFakeSite(createServer());
      const siteUrl = `http://${host}:${port}`;
      const client = siteClient(strict);
      // A site URL in this notation is invalid; an endpoint URL is resolved and blocked.
      expect(await client.sync(createTarget(siteUrl))).toMatchObject({ reason: 'bad_address' });
      expect(
        await client.sync(createTarget(`http://127.0.0.1:${port}`, `${siteUrl}/api/`)),
      ).toMatchObject(notCalled);
      expect(connections()).toBe(0);
    });
  }

  it('is not called by host name', async () => {
    const { port, connections } = await startFakeSite(createServer());
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const family = address.includes(':') ? 6 : 4;
      const client = siteClient({ ...strict, lookup: async () => [{ address, family }] });
      const outcome = await client.sync(createTarget(`http://shop.example.com:${port}`));
      expect(outcome).toMatchObject(notCalled);
      // The outcome must not reveal internal addresses.
      expect(JSON.stringify(outcome)).not.toContain(address);
    }
    expect(connections()).toBe(0);
  });

  it('is not called as localhost with the system resolver', async () => {
    const { port, connections } = await startFakeSite(createServer());
    const outcome = await siteClient(strict).sync(createTarget(`http://localhost:${port}`));
    expect(outcome).toMatchObject(notCalled);
    expect(connections()).toBe(0);
  });

  it('is not called if DNS changes between the check and the connection', async () => {
    const inside = await startFakeSite(createServer());
    // Nothing listens there; the test only needs an address that counts as public.
    const outside = '127.0.0.3';
    const lookups: string[] = [];
    const client = siteClient({
      isPublic: (address) => address === outside,
      allowPrivateSites: false,
      lookup: async (hostname) => {
        lookups.push(hostname);
        return [{ address: lookups.length === 1 ? outside : '127.0.0.1', family: 4 }];
      },
    });
    const target = createTarget(`http://shop.example.com:${inside.port}`);
    expect(await client.sync(target)).toMatchObject({ reason: 'connect', sent: false });
    expect(lookups).toEqual(['shop.example.com']);
    expect(await client.sync(target)).toMatchObject(notCalled);
    expect(inside.connections()).toBe(0);
  });

  it('is not called through a redirect of a public site', async () => {
    const inside = await startFakeSite(createServer());
    const outside = await startHttpSite((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.2:${inside.port}/` }).end();
    });
    const client = siteClient({ ...strict, isPublic: (address) => address === '127.0.0.1' });
    expect(await client.sync(createTarget(outside.url))).toMatchObject({ reason: 'redirect' });
    expect(inside.connections()).toBe(0);
  });

  it('is called with ALLOW_PRIVATE_SITES', async () => {
    const { url } = await startHttpSite(
      (_request, response) => void response.end('{"success":true}'),
    );
    const client = siteClient({ allowPrivateSites: true });
    expect(await client.sync(createTarget(url))).toMatchObject({ kind: 'answered' });
  });
});

describe('a host name with public and private addresses', () => {
  it('is called at the public ones only', async () => {
    const site = await startHttpSite((_request, response) => void response.end('{"success":true}'));
    const tried: string[] = [];
    const client = siteClient({
      allowPrivateSites: false,
      isPublic: (address) => {
        tried.push(address);
        return address === '127.0.0.1';
      },
      lookup: async () => [
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
    });
    const outcome = await client.sync(createTarget(`http://shop.example.com:${site.port}`));
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect([tried, site.connections()]).toEqual([['127.0.0.2', '127.0.0.1', '::1'], 1]);
  });

  it('is sent as the Host header', async () => {
    const hosts: (string | undefined)[] = [];
    const site = await startHttpSite((request, response) => {
      hosts.push(request.headers.host);
      response.end('{"success":true}');
    });
    const client = siteClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
    await client.sync({
      siteUrl: `http://shop.example.com:${site.port}`,
      endpointUrl: null,
      serviceKey: SERVICE_KEY,
    });
    expect(hosts).toEqual([`shop.example.com:${site.port}`]);
  });
});
