import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { LOOPBACK_CERTIFICATE, TLS_KEY } from '../sites/certificates.ts';

export type ReceivedMail = { to: string[]; raw: string; isEncrypted: boolean };

type SinkOptions = {
  /** `implicit`: TLS from the first byte. `starttls`: the client asks for TLS. */
  tls?: 'implicit' | 'starttls';
  /** If set, the server requires this login. */
  login?: { user: string; password: string };
};

/** Starts a mail server that keeps all messages. While `refusesRecipients` is true, it replies 550 to each recipient. */
export async function startSmtpSink({ tls, login }: SinkOptions = {}) {
  const mails: ReceivedMail[] = [];
  const refused: string[] = [];
  const server = new SMTPServer({
    authOptional: login === undefined,
    disabledCommands: [...(login ? [] : ['AUTH']), ...(tls === 'starttls' ? [] : ['STARTTLS'])],
    secure: tls === 'implicit',
    key: TLS_KEY,
    cert: LOOPBACK_CERTIFICATE,
    onAuth({ username, password }, _session, callback) {
      if (username === login?.user && password === login?.password) {
        return callback(null, { user: username });
      }
      callback(new Error('5.7.8 Invalid username or password'));
    },
    onRcptTo({ address }, _session, callback) {
      if (!sink.refusesRecipients) return callback();
      refused.push(address);
      callback(Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 }));
    },
    onData(stream, { envelope, secure }, callback) {
      text(stream).then((raw) => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), raw, isEncrypted: secure });
        callback();
      }, callback);
    },
  });
  const sink = {
    mails,
    refused,
    refusesRecipients: false,
    url: '',
    headersOf: ({ raw }: ReceivedMail) => raw.slice(0, raw.indexOf('\r\n\r\n')),
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  // Ignore clients that close the connection during the handshake because they do not accept the certificate.
  server.on('error', () => {});
  const scheme = tls === 'implicit' ? 'smtps' : 'smtp';
  const credentials = login ? `${encodeURIComponent(login.user)}:${login.password}@` : '';
  sink.url = `${scheme}://${credentials}127.0.0.1:${port}`;
  return sink;
}

export type SmtpSink = Awaited<ReturnType<typeof startSmtpSink>>;
