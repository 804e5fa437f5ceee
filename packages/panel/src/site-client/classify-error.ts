import { errors } from 'undici';
import { ConnectTimeoutError, PrivateAddressError } from './connection.ts';
import * as messages from './error-messages.ts';
import type { ExchangeProgress } from './exchange.ts';
import { type Failed, failed } from './outcome.ts';

const TOO_LARGE = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW']);

/** Derives the failure reason from the error and the progress of the call. */
export function classifyError(error: Error, progress: ExchangeProgress, host: string): Failed {
  const { phase } = progress;
  const detail = codeOf(error);
  const unsent = { sent: false, detail };
  if (error instanceof PrivateAddressError) {
    return failed('private_address', { ...unsent, error: messages.notPublic(host) });
  }
  if (phase === 'resolving') {
    return failed('dns', { ...unsent, error: messages.nameNotFound(host) });
  }
  // A timeout in the handshake means a slow or dead site, not a bad certificate.
  if (phase === 'connecting' || (phase === 'securing' && error instanceof ConnectTimeoutError)) {
    return failed('connect', { ...unsent, error: messages.notConnected(host, detail) });
  }
  if (phase === 'securing') {
    return failed('tls', { ...unsent, error: messages.notSecure(host, detail) });
  }
  return classifyLostResponse(error, progress, host);
}

function classifyLostResponse(
  error: Error,
  { httpStatus }: ExchangeProgress,
  host: string,
): Failed {
  const detail = codeOf(error);
  const fields = { sent: true, httpStatus, detail };
  if (TOO_LARGE.has(detail ?? '')) {
    return failed('too_large', { ...fields, error: messages.tooLarge(host) });
  }
  // After the start of a response, the same error means that the connection was cut off.
  if (error instanceof errors.HTTPParserError && httpStatus === null) {
    return failed('not_http', { ...fields, error: messages.notHttp(host) });
  }
  // With TLS 1.3, a server may refuse after the handshake of the client, for example if it requires a client
  // certificate.
  if (detail?.startsWith('ERR_SSL_')) {
    return failed('tls', { ...fields, error: messages.notSecure(host, detail) });
  }
  return failed('connection_lost', { ...fields, error: messages.connectionLost(host) });
}

/** Returns the code, never the message: a message may contain internal addresses. */
function codeOf(error: Error): string | null {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : null;
}
