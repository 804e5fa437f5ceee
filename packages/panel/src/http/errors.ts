import type { Socket } from 'node:net';
import { ERROR_CODES, type ErrorCode } from '@steward/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import { isTransientError } from '../platform/database/is-transient-error.ts';
import { toValidationError } from './invalid-body.ts';

const RETRY_AFTER_SECONDS = 5;

/** For every response: an error may repeat text of the client, which a browser must not render as a page. */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/** Turns all errors into responses. */
export function mapErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    sendError(toAppError(error), request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    // A missing file of the screens may exist as soon as a build has finished.
    reply.header('cache-control', 'no-store');
    sendError(new AppError('not_found'), request, reply);
  });
}

/** Responds to errors before routes and hooks, such as a path that cannot be decoded. */
export function sendFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.headers(NO_SNIFFING);
  sendError(toAppError(error), request, reply);
}

/**
 * Responds if Node.js rejects a request, such as bytes that are not HTTP or headers that are too long. Fastify does not
 * get these requests, so the response has no request id.
 */
export function respondToMalformedRequest(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const { status, message } = ERROR_CODES.invalid_request;
  const body = JSON.stringify({ success: false, error: message, code: 'invalid_request' });
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

export function toAppError(error: FastifyError): AppError {
  if (error instanceof AppError) return error;
  if (error.validation) return toValidationError(error.validation);
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('request_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('invalid_request', {
        message: 'Send the body as JSON, with Content-Type: application/json.',
      });
  }
  if (isTransientError(error)) return new AppError('unavailable', { cause: error });
  // Fastify itself refused the request, such as a body shorter than announced or a path that cannot be decoded.
  const isClientFault = error.statusCode !== undefined && error.statusCode < 500;
  return new AppError(isClientFault ? 'invalid_request' : 'internal_error', { cause: error });
}

function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  const status = prepareErrorResponse(error, request, reply);
  reply.code(status).send({
    success: false,
    error: error.message,
    code: error.code,
    request_id: request.id,
    ...error.details,
  });
}

/** Logs the error and sets the headers of its response, also for a route that responds with a page. Returns the status. */
export function prepareErrorResponse(
  error: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): number {
  const status = statusOf(error.code, request.url);
  const fields = { request_id: request.id, code: error.code, internal: error.internal };
  if (error.code === 'unavailable') {
    // Without a stack trace: while the panel is unavailable, each refused request would repeat it.
    const reason = error.internal ?? (error.cause as Error | undefined)?.message;
    request.log.warn({ request_id: request.id, reason }, 'Request refused: unavailable.');
  } else if (status >= 500)
    request.log.error({ ...fields, err: error.cause ?? error }, 'Request failed.');
  else request.log.debug({ ...fields, err: error.cause }, 'Request refused.');
  const retryAfter = error.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return status;
}

/** Clients of the license API do not know 413 and get 400. Other statuses stay. */
export function statusOf(code: ErrorCode, url: string): number {
  const { status } = ERROR_CODES[code];
  return url.startsWith('/api/v1/') && status === 413 ? 400 : status;
}
