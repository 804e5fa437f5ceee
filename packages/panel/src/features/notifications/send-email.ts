import { createTransport } from 'nodemailer';
import type { Config } from '../../platform/config.ts';
import { redactSecrets } from '../../platform/logger.ts';
import { type Message, toEmail } from './compose-message.ts';
import type { SendResult } from './send-result.ts';

export type Mailer = {
  send(to: string, message: Message, messageId: string): Promise<SendResult>;
};

type Options = { smtp: Config['smtp']; panelUrl(): string };

const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** For the whole conversation: a server that sends a byte now and then must not hold a worker. */
const TOTAL_MS = 45_000;
const REPLY_MAX_LENGTH = 200;

export const SMTP_MISSING =
  'E-mail is not configured. Set SMTP_URL and SMTP_FROM and start Steward again.';

export function createMailer({ smtp, panelUrl }: Options): Mailer {
  return {
    async send(to, message, messageId) {
      if (smtp === null) return fail(SMTP_MISSING, false);
      const transport = createTransport(toOptions(smtp.url));
      const timer = setTimeout(() => transport.close(), TOTAL_MS);
      try {
        await withTimeout(
          transport.sendMail({
            ...toEmail(message),
            from: smtp.from,
            to: { name: '', address: to },
            // The same for each attempt, so that a mail server or reader can drop a repeated message.
            messageId: `<${messageId}@${new URL(panelUrl()).hostname}>`,
            headers: { 'Auto-Submitted': 'auto-generated' },
            disableFileAccess: true,
            disableUrlAccess: true,
          }),
        );
        return { kind: 'delivered', httpStatus: null };
      } catch (error) {
        return classifyError(error as SmtpError);
      } finally {
        clearTimeout(timer);
        transport.close();
      }
    },
  };
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

async function withTimeout<T>(sending: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
    TOTAL_MS,
  );
  try {
    return await Promise.race([sending, promise]);
  } finally {
    clearTimeout(timer);
  }
}

type SmtpError = Error & { code?: string; response?: string; responseCode?: number };

/** A reply from 500 on to the recipient or the message is final (RFC 5321). A wrong login can be corrected. */
function classifyError({
  code = 'unknown error',
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
  if (code === 'ETLS') {
    return fail('Could not open a secure connection to the mail server. Check SMTP_URL.', false);
  }
  return fail(`Could not send through the mail server (${code}). Check SMTP_URL.`, false);
}

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
