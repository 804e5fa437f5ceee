import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../platform/config.ts';
import { redactSecrets } from '../../platform/logger.ts';
import { type Message, toEmail } from './compose-message.ts';
import type { SendResult } from './send-result.ts';

export type Mailer = {
  /** After `signal` aborts, the mail server has a few more seconds. */
  send(to: string, message: Message, options: SendOptions): Promise<SendResult>;
};

type SendOptions = { messageId: string; signal: AbortSignal };
type Options = { smtp: Config['smtp']; panelUrl(): string };

const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** For the whole conversation: a server that sends single bytes slowly must not block a worker. */
const TOTAL_MS = 45_000;
const STOPPING_MS = 5000;
const REPLY_MAX_LENGTH = 200;

export const SMTP_MISSING =
  'E-mail is not configured. Set SMTP_URL and SMTP_FROM, then restart Steward.';

export function createMailer({ smtp, panelUrl }: Options): Mailer {
  return {
    async send(to, message, { messageId, signal }) {
      if (smtp === null) return fail(SMTP_MISSING, false);
      // Loaded here, because most processes never send an e-mail.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(toOptions(smtp.url));
      const sending = transport.sendMail({
        ...toEmail(message),
        from: smtp.from,
        to: { name: '', address: to },
        // The same for each attempt, so that a mail server or reader can drop a repeated message.
        messageId: `<${messageId}@${new URL(panelUrl()).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        const isSent = await Promise.race([sending.then(() => true), waitForLimit(signal)]);
        return isSent ? { kind: 'delivered', httpStatus: null } : { kind: 'stopped' };
      } catch (error) {
        return classifyError(error as SmtpError);
      } finally {
        // A connection that still hangs ends after TIMEOUTS_MS.
        sending.catch(() => {});
        transport.close();
      }
    },
  };
}

/** Resolves to false if the process stops. Rejects if the whole conversation takes too long. */
async function waitForLimit(signal: AbortSignal): Promise<false> {
  try {
    await sleep(TOTAL_MS, undefined, { signal, ref: false });
  } catch {
    await sleep(STOPPING_MS, undefined, { ref: false });
    return false;
  }
  throw Object.assign(new Error('The mail server is too slow.'), { code: 'ETIMEDOUT' });
}

function toOptions(text: string) {
  const url = new URL(text);
  const isSecure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isSecure ? 465 : 587)),
    secure: isSecure,
    // A password never goes over an unencrypted connection.
    ...(user !== '' && {
      auth: { user, pass: decodeURIComponent(url.password) },
      requireTLS: !isSecure,
    }),
    ...TIMEOUTS_MS,
  };
}

/** The host and port of a mail server, without user name and password. */
export function describeServer(smtpUrl: string): string {
  const { host, port } = toOptions(smtpUrl);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

type SmtpError = Error & { code?: string; response?: string; responseCode?: number };

/** A reply of 500 or more to the recipient or the message is final (RFC 5321). An operator can correct a wrong login. */
function classifyError({
  code = 'unknown error',
  message,
  response,
  responseCode = 0,
}: SmtpError): SendResult {
  if (code === 'EAUTH') {
    return fail(`The mail server refused the login${quote(response)} Check SMTP_URL.`, false);
  }
  const isRefused = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isRefused && responseCode >= 400) {
    return fail(`The mail server refused the message${quote(response)}`, responseCode >= 500);
  }
  // nodemailer keeps only the message of a TLS error of Node.
  if (response === undefined && /certificate/i.test(message)) {
    // After a semicolon, Node may add advice about its own flags.
    const [cause] = message.split(';');
    return fail(
      `The certificate of the mail server is not accepted${quote(cause)} ${CERTIFICATE_ADVICE}`,
      false,
    );
  }
  if (/wrong version number|packet length too long/i.test(message)) return fail(NO_TLS, false);
  if (code === 'ETLS') {
    return fail('Could not open a secure connection to the mail server. Check SMTP_URL.', false);
  }
  return fail(`Could not send through the mail server (${code}). Check SMTP_URL.`, false);
}

const CERTIFICATE_ADVICE =
  'Use a valid certificate, or start Steward with NODE_EXTRA_CA_CERTS and the certificate of its issuer.';
const NO_TLS =
  'The mail server does not use TLS on this port from the start. Use smtp:// in SMTP_URL, or another port.';

function quote(reply: string | undefined): string {
  const line = redactSecrets(reply ?? '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return line === ''
    ? '.'
    : `: ${line.slice(0, REPLY_MAX_LENGTH)}${/[.!?]$/.test(line) ? '' : '.'}`;
}

const fail = (error: string, isFinal: boolean): SendResult => ({
  kind: 'failed',
  error,
  httpStatus: null,
  isFinal,
});
