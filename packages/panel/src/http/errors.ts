import type { Socket } from 'node:net';
import { ERROR_CODES, type ErrorCode } from '@steward/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import { isTransientError } from '../platform/database/connect.ts';
import { describeInvalidBody } from './invalid-body.ts';

const RETRY_AFTER_SECONDS = 5;

/** On every answer: text that a caller sent and an error repeats must not be taken for a page. */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/** The one place where an error becomes an answer. */
export function mapErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    sendError(toAppError(error), request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    // What is not here now may be in a moment: a file of screens that are being built anew.
    reply.header('cache-control', 'no-store');
    sendError(new AppError('not_found'), request, reply);
  });
}

/** For what never reaches a route, nor a hook: a path that cannot be decoded, for one. */
export function sendFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.headers(NO_SNIFFING);
  sendError(toAppError(error), request, reply);
}

/** For bytes that are not HTTP at all. There is no request yet, so there is no id either. */
export function answerUnreadableRequest(_error: Error, socket: Socket): void {
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

function toAppError(error: FastifyError): AppError {
  if (error instanceof AppError) return error;
  if (error.validation) return describeInvalidBody(error.validation);
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('request_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('invalid_request', {
        message: 'Send the body as JSON, with Content-Type: application/json.',
      });
  }
  if (isTransientError(error)) return new AppError('unavailable', { cause: error });
  // What the HTTP layer refuses: a body shorter than announced, an unreadable path, and so on.
  const isClientFault = error.statusCode !== undefined && error.statusCode < 500;
  return new AppError(isClientFault ? 'invalid_request' : 'internal_error', { cause: error });
}

function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  const status = statusFor(error.code, request);
  const fields = { request_id: request.id, code: error.code, internal: error.internal };
  if (error.code === 'unavailable') {
    // What is behind it has said so itself, once; a stack for each refused request helps nobody.
    const reason = error.internal ?? (error.cause as Error | undefined)?.message;
    request.log.warn({ request_id: request.id, reason }, 'request refused: unavailable');
  } else if (status >= 500)
    request.log.error({ ...fields, err: error.cause ?? error }, 'request failed');
  else request.log.debug({ ...fields, err: error.cause }, 'request refused');
  const retryAfter = error.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  reply.code(status).send({
    success: false,
    error: error.message,
    code: error.code,
    request_id: request.id,
    ...error.details,
  });
}

/** Group C answers with 400, 401, 403, 404 and 500 only; its clients know no other refusal. */
function statusFor(code: ErrorCode, request: FastifyRequest): number {
  const { status } = ERROR_CODES[code];
  return request.url.startsWith('/api/v1/') && status === 413 ? 400 : status;
}
