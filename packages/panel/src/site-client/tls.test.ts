import { X509Certificate } from 'node:crypto';
import { createServer as createHttpsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  EXPIRED_SHOP_CERTIFICATE,
  SHOP_CERTIFICATE,
  STRANGER_CERTIFICATE,
  TLS_KEY,
} from '@steward/testkit/sites/certificates.ts';
import {
  createTarget,
  resolveToLocalhost,
  SUCCESS,
  siteClient,
  startFakeSite,
  startHttpSite,
  startRawHttpSite,
} from '@steward/testkit/sites/fake-sites.ts';
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
    return { ...(await startFakeSite(server)), serverNames, requests: () => requests };
  }

  it('sends the host name and verifies the certificate against it', async () => {
    const site = await secureSite(SHOP_CERTIFICATE);
    const client = siteClient({ lookup: resolveToLocalhost });
    expect(await client.sync(createTarget(`https://shop.test:${site.port}`))).toMatchObject({
      kind: 'answered',
    });
    expect(site.serverNames).toEqual(['shop.test']);
  });

  it('reads when the certificate expires', async () => {
    const site = await secureSite(SHOP_CERTIFICATE);
    const client = siteClient({ lookup: resolveToLocalhost });
    const observation = await client.observe(createTarget(`https://shop.test:${site.port}`));
    const { validToDate } = new X509Certificate(SHOP_CERTIFICATE);
    expect(observation?.certificate_expires_at).toBe(validToDate.toISOString());
  });

  for (const [what, host, certificate, detail, message] of [
    [
      'for another host name',
      'other.test',
      SHOP_CERTIFICATE,
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'another host name',
    ],
    ['that has expired', 'shop.test', EXPIRED_SHOP_CERTIFICATE, 'CERT_HAS_EXPIRED', 'Renew it'],
    [
      'that is self-signed',
      'stranger.test',
      STRANGER_CERTIFICATE,
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'trusted authority',
    ],
    [
      'for a host name if the site URL is an IP address',
      '127.0.0.1',
      SHOP_CERTIFICATE,
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'another host name',
    ],
  ] as const) {
    it(`sends nothing to a site with a certificate ${what}`, async () => {
      const site = await secureSite(certificate);
      const client = siteClient({ lookup: resolveToLocalhost });
      expect(await client.sync(createTarget(`https://${host}:${site.port}`))).toMatchObject({
        kind: 'failed',
        code: 'site_tls_error',
        reason: 'tls',
        sent: false,
        detail,
        error: expect.stringContaining(message),
      });
      expect(site.requests()).toBe(0);
    });
  }

  it('counts the request as sent after the handshake', async () => {
    const server = createHttpsServer({ key: TLS_KEY, cert: SHOP_CERTIFICATE }, (request) => {
      request.socket.destroy();
    });
    const { port } = await startFakeSite(server);
    const outcome = await siteClient({ lookup: resolveToLocalhost }).sync(
      createTarget(`https://shop.test:${port}`),
    );
    expect(outcome).toMatchObject({ reason: 'connection_lost', sent: true });
  });

  it('sends nothing to a plain HTTP server', async () => {
    const site = await startHttpSite(() => {});
    const outcome = await siteClient().sync(createTarget(`https://127.0.0.1:${site.port}`));
    expect(outcome).toMatchObject({ code: 'site_tls_error', reason: 'tls', sent: false });
  });

  it('sends nothing if the connection closes during the handshake', async () => {
    const site = await startRawHttpSite((socket) => socket.destroy());
    const outcome = await siteClient().sync(createTarget(`https://127.0.0.1:${site.port}`));
    expect(outcome).toMatchObject({ code: 'site_tls_error', reason: 'tls', sent: false });
  });
});
