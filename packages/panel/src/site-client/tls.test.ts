import { createServer as createHttpsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  EXPIRED_SHOP_CERTIFICATE,
  SHOP_CERTIFICATE,
  STRANGER_CERTIFICATE,
  TLS_KEY,
} from '@steward/testkit/sites/certificates.ts';
import {
  afterRequest,
  httpSite,
  SUCCESS,
  siteClient,
  standIn,
  targetAt,
  toLocalhost,
} from '@steward/testkit/sites/stand-in-sites.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('TLS', () => {
  const certificates = getCACertificates();
  beforeAll(() =>
    setDefaultCACertificates([...certificates, SHOP_CERTIFICATE, EXPIRED_SHOP_CERTIFICATE]),
  );
  afterAll(() => setDefaultCACertificates(certificates));

  async function secureSite(cert: string) {
    const serverNames: unknown[] = [];
    let requests = 0;
    const server = createHttpsServer({ key: TLS_KEY, cert }, (request, response) => {
      requests++;
      serverNames.push((request.socket as { servername?: unknown }).servername);
      response.end(SUCCESS);
    });
    return { ...(await standIn(server)), serverNames, requests: () => requests };
  }

  it('asks for the site by its name, and checks the certificate against it', async () => {
    const site = await secureSite(SHOP_CERTIFICATE);
    const client = siteClient({ lookup: toLocalhost });
    expect(await client.sync(targetAt(`https://shop.test:${site.port}`))).toMatchObject({
      kind: 'answered',
    });
    expect(site.serverNames).toEqual(['shop.test']);
  });

  for (const [what, host, certificate, detail, says] of [
    [
      'of another name',
      'other.test',
      SHOP_CERTIFICATE,
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'another name',
    ],
    ['that has expired', 'shop.test', EXPIRED_SHOP_CERTIFICATE, 'CERT_HAS_EXPIRED', 'Renew it'],
    [
      'that nobody vouches for',
      'stranger.test',
      STRANGER_CERTIFICATE,
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'browsers accept',
    ],
    [
      'for a name when an address is called',
      '127.0.0.1',
      SHOP_CERTIFICATE,
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'another name',
    ],
  ] as const) {
    it(`sends nothing to a certificate ${what}`, async () => {
      const site = await secureSite(certificate);
      const client = siteClient({ lookup: toLocalhost });
      expect(await client.sync(targetAt(`https://${host}:${site.port}`))).toMatchObject({
        kind: 'failed',
        code: 'site_tls_error',
        reason: 'tls',
        sent: false,
        detail,
        error: expect.stringContaining(says),
      });
      expect(site.requests()).toBe(0);
    });
  }

  it('has sent something once the handshake is done', async () => {
    const server = createHttpsServer({ key: TLS_KEY, cert: SHOP_CERTIFICATE }, (request) => {
      request.socket.destroy();
    });
    const { port } = await standIn(server);
    const outcome = await siteClient({ lookup: toLocalhost }).sync(
      targetAt(`https://shop.test:${port}`),
    );
    expect(outcome).toMatchObject({ reason: 'connection_lost', sent: true });
  });

  it('sends nothing where plain HTTP is spoken', async () => {
    const site = await httpSite(() => {});
    const outcome = await siteClient().sync(targetAt(`https://127.0.0.1:${site.port}`));
    expect(outcome).toMatchObject({ code: 'site_tls_error', reason: 'tls', sent: false });
  });

  it('sends nothing when the connection is cut during the handshake', async () => {
    const site = await afterRequest((socket) => socket.destroy());
    const outcome = await siteClient().sync(targetAt(`https://127.0.0.1:${site.port}`));
    expect(outcome).toMatchObject({ code: 'site_tls_error', reason: 'tls', sent: false });
  });
});
