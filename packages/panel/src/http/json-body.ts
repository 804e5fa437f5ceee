import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import secureJson from 'secure-json-parse';
import { AppError } from '../platform/app-error.ts';
import { BOUNDS, isWithinBounds } from '../platform/bounded-json.ts';

const MAY_HOLD_BAD_TEXT = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Reads JSON bodies strictly: valid UTF-8, no `__proto__`, and no text that the database could not
 * hold (NUL) or would silently change (half a surrogate pair).
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const isFromSite = request.routeOptions.config.access === 'license_key';
    try {
      done(null, parseJsonBody(body as Buffer, { isFromSite }));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseJsonBody(body: Buffer, { isFromSite }: { isFromSite: boolean }): unknown {
  if (!isUtf8(body)) throw notJson('it is not valid UTF-8');
  const text = body.toString('utf8');
  if (isFromSite && !isWithinBounds(text)) {
    throw new AppError('request_too_large', { message: TOO_MANY });
  }
  let value: unknown;
  try {
    value = secureJson.parse(text);
  } catch (error) {
    throw notJson((error as Error).message);
  }
  // Both can only be written as escapes, so most bodies need no look at their strings.
  if (MAY_HOLD_BAD_TEXT.test(text) && holdsBadText(value)) {
    throw new AppError('invalid_request', {
      message: `${whereIsBadText(value)} contains a NUL character or half a surrogate pair. Send plain text.`,
    });
  }
  return value;
}

const TOO_MANY = `The body has more than ${BOUNDS.items} entries, or is nested deeper than ${BOUNDS.depth} levels. Report plugins, themes and core only.`;

const FIELD_NAME = /^\w{1,50}$/;

/** The field, if it has a name that can be told. */
function whereIsBadText(body: unknown): string {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const fields = isObject ? Object.entries(body) : [];
  const [name = ''] = fields.find(([, value]) => holdsBadText(value)) ?? [];
  return FIELD_NAME.test(name) ? name : 'The body';
}

/** With a stack of its own: a nest as deep as a body allows would overflow the engine's. */
function holdsBadText(root: unknown): boolean {
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) pending.push(key, child);
  }
  return false;
}

function notJson(internal: string): AppError {
  return new AppError('invalid_request', {
    message: 'The body is not valid JSON. Send a JSON object in UTF-8.',
    internal,
  });
}
