import { errors } from 'undici';
import { ConnectTimeout, NotPublicAddress } from './connection.ts';
import type { ExchangeProgress } from './exchange.ts';
import { type Failed, failed } from './outcome.ts';
import * as sentences from './sentences.ts';

const TOO_LARGE = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW']);

/** Tells why no whole answer came, by how far the exchange had come and by what broke it. */
export function judgeFault(error: Error, progress: ExchangeProgress, host: string): Failed {
  const { phase } = progress;
  const detail = codeOf(error);
  const unsent = { sent: false, detail };
  if (error instanceof NotPublicAddress) {
    return failed('private_address', { ...unsent, error: sentences.notPublic(host) });
  }
  if (phase === 'resolving') {
    return failed('dns', { ...unsent, error: sentences.nameNotFound(host) });
  }
  // A site that says nothing during the handshake is slow or down; its certificate is not to blame.
  if (phase === 'connecting' || (phase === 'securing' && error instanceof ConnectTimeout)) {
    return failed('connect', { ...unsent, error: sentences.notConnected(host, detail) });
  }
  if (phase === 'securing') {
    return failed('tls', { ...unsent, error: sentences.notSecure(host, detail) });
  }
  return judgeLostAnswer(error, progress, host);
}

function judgeLostAnswer(error: Error, { httpStatus }: ExchangeProgress, host: string): Failed {
  const detail = codeOf(error);
  const facts = { sent: true, httpStatus, detail };
  if (TOO_LARGE.has(detail ?? '')) {
    return failed('too_large', { ...facts, error: sentences.tooLarge(host) });
  }
  // Inside an answer the same error means that it ended in its middle.
  if (error instanceof errors.HTTPParserError && httpStatus === null) {
    return failed('not_http', { ...facts, error: sentences.notHttp(host) });
  }
  // With TLS 1.3 a server may refuse after our side is done, for want of a client's certificate say.
  if (detail?.startsWith('ERR_SSL_')) {
    return failed('tls', { ...facts, error: sentences.notSecure(host, detail) });
  }
  return failed('connection_lost', { ...facts, error: sentences.connectionLost(host) });
}

/** Never the message, which may name addresses inside. */
function codeOf(error: Error): string | null {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : null;
}
