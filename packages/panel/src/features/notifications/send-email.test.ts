import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { registerSecret } from '@steward/testkit/logs.ts';
import { startSmtpSink } from '@steward/testkit/notifications/smtp-sink.ts';
import { LOOPBACK_CERTIFICATE } from '@steward/testkit/sites/certificates.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { composeMessage } from './compose-message.ts';
import { createMailer } from './send-email.ts';

const LOGIN = { user: 'steward@example.com', password: 'pass-word-4711' };
registerSecret(LOGIN.password);

async function startServer(options: Parameters<typeof startSmtpSink>[0]) {
  const server = await startSmtpSink(options);
  onTestFinished(server.stop);
  return server;
}

function send(url: string) {
  const smtp = { url, from: 'Steward <steward@example.com>' };
  const mailer = createMailer({ smtp, panelUrl: () => 'https://panel.example.com' });
  const message = composeMessage('test', [], {
    now: new Date('2026-06-01T12:00:00Z'),
    panelUrl: 'https://panel.example.com',
  });
  const { signal } = new AbortController();
  return mailer.send('owner@example.com', message, { messageId: 'one', signal });
}

const failure = (error: RegExp) => ({
  kind: 'failed',
  isFinal: false,
  error: expect.stringMatching(error),
});

describe.each(['implicit', 'starttls'] as const)('TLS (%s)', (tls) => {
  const certificates = getCACertificates();

  describe('with a trusted certificate', () => {
    beforeAll(() => setDefaultCACertificates([...certificates, LOOPBACK_CERTIFICATE]));
    afterAll(() => setDefaultCACertificates(certificates));

    it('logs in and sends an encrypted message', async () => {
      const server = await startServer({ tls, login: LOGIN });
      expect(await send(server.url)).toEqual({ kind: 'delivered', httpStatus: null });
      expect(server.mails).toMatchObject([{ to: ['owner@example.com'], isEncrypted: true }]);
    });

    it('names a wrong login, which an operator can correct', async () => {
      const server = await startServer({ tls, login: LOGIN });
      const url = server.url.replace(LOGIN.password, 'wrong');
      expect(await send(url)).toMatchObject(
        failure(/^The mail server refused the login: .*Invalid username.* Check SMTP_URL\.$/),
      );
      expect(server.mails).toEqual([]);
    });
  });

  it('does not send to a server with an untrusted certificate', async () => {
    const server = await startServer({ tls, login: LOGIN });
    expect(await send(server.url)).toMatchObject(
      failure(/^The certificate of the mail server is not accepted: self-signed certificate\./),
    );
    expect(server.mails).toEqual([]);
  });
});

describe('without TLS', () => {
  it('never sends a password', async () => {
    const server = await startServer({ login: LOGIN });
    expect(await send(server.url)).toMatchObject(
      failure(/^Could not open a secure connection to the mail server/),
    );
  });

  it('explains a URL for TLS on a port without it', async () => {
    const server = await startServer({});
    expect(await send(server.url.replace('smtp:', 'smtps:'))).toMatchObject(
      failure(/does not use TLS on this port/),
    );
  });
});
