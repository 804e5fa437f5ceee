import { KEY_IN_TEXT } from '@steward/contract';
import { type DestinationStream, type Logger, pino } from 'pino';
import { TOKEN_IN_TEXT } from './secrets.ts';

export type { Logger };

/** The log replaces the values of these fields, in case a log call contains them by mistake. */
const REDACTED_FIELDS = [
  'license_key',
  'licenseKey',
  'activation_token',
  'activationToken',
  'password',
  'current_password',
  'new_password',
  'token',
  'csrf_token',
  'authorization',
  'cookie',
  '["x-service-key"]',
  '["x-csrf-token"]',
];

export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: REDACTED_FIELDS.flatMap((field) => {
        const nested = field.startsWith('[') ? field : `.${field}`;
        return [field, `*${nested}`, `*.*${nested}`];
      }),
      censor: '[redacted]',
    },
    // Second protection: replaces every text that looks like a key or a token.
    hooks: { streamWrite: redactSecrets },
  };
  // The log goes to standard error, because standard output is for command results.
  return pino(options, destination ?? pino.destination({ dest: 2, sync: true }));
}

export function redactSecrets(text: string): string {
  return text.replace(KEY_IN_TEXT, '[key]').replace(TOKEN_IN_TEXT, '[token]');
}
