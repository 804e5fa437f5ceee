import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { to: string[]; raw: string };

/** Starts a mail server that keeps all messages. `refusesRecipients`: it replies 550 to each recipient. */
export async function startSmtpSink() {
  const mails: ReceivedMail[] = [];
  const refused: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, callback) {
      if (!sink.refusesRecipients) return callback();
      refused.push(address);
      callback(Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 }));
    },
    onData(stream, { envelope }, callback) {
      text(stream).then((raw) => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), raw });
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
  sink.url = `smtp://127.0.0.1:${port}`;
  return sink;
}

export type SmtpSink = Awaited<ReturnType<typeof startSmtpSink>>;
