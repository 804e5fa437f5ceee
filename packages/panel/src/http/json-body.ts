import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import secureJson from 'secure-json-parse';
import { AppError } from '../platform/app-error.ts';
import { BOUNDS, isWithinBounds } from '../platform/bounded-json.ts';

const MAY_CONTAIN_INVALID_TEXT = /\\u(?:0000|[dD][89a-fA-F])/;

type Options = {
  /** If true, a body that exceeds `BOUNDS` is refused before it is parsed. */
  isFromSite: boolean;
};

/**
 * Parses JSON bodies strictly: valid UTF-8, no `__proto__`, and no text that the database rejects (NUL)
 * or silently changes (a lone surrogate). Applies to all routes of `app`.
 */
export function acceptJsonBodies(app: FastifyInstance, options: Options): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer, options));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseJsonBody(body: Buffer, { isFromSite }: Options): unknown {
  if (!isUtf8(body)) throw notJsonError('it is not valid UTF-8');
  const text = body.toString('utf8');
  if (isFromSite && !isWithinBounds(text)) {
    throw new AppError('request_too_large', { message: TOO_LARGE_MESSAGE });
  }
  let value: unknown;
  try {
    value = secureJson.parse(text);
  } catch (error) {
    throw notJsonError((error as Error).message);
  }
  // JSON can express NUL and lone surrogates only as escapes, so most bodies skip the deep check.
  if (MAY_CONTAIN_INVALID_TEXT.test(text) && containsInvalidText(value)) {
    throw new AppError('invalid_request', {
      message: `${nameInvalidField(value)} contains a NUL character or a lone surrogate. Send plain text.`,
    });
  }
  return value;
}

const TOO_LARGE_MESSAGE = `The body has more than ${BOUNDS.items} entries, or is nested deeper than ${BOUNDS.depth} levels. Report plugins, themes and core only.`;

const FIELD_NAME = /^\w{1,50}$/;

/** Returns the name of the field if it is safe to repeat. */
function nameInvalidField(body: unknown): string {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const fields = isObject ? Object.entries(body) : [];
  const [name = ''] = fields.find(([, value]) => containsInvalidText(value)) ?? [];
  return FIELD_NAME.test(name) ? name : 'The body';
}

/** Uses a loop: with recursion, a deeply nested body would overflow the call stack. */
function containsInvalidText(root: unknown): boolean {
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) pending.push(key, child);
  }
  return false;
}

function notJsonError(internal: string): AppError {
  return new AppError('invalid_request', {
    message: 'The body is not valid JSON. Send a JSON object in UTF-8.',
    internal,
  });
}
