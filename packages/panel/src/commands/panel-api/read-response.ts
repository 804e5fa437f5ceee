import type { ErrorBody } from '@steward/contract';
import { PanelError } from './panel-error.ts';

export type PanelRequest = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: object | undefined;
};
export type PanelResponse = {
  status: number;
  contentType: string;
  retryAfter: string | null;
  /** The target of a redirect. */
  location: string | null;
  text: string;
};
export type SendRequest = (request: PanelRequest) => Promise<PanelResponse>;

const TRANSIENT_STATUSES = [429, 502, 503, 504];

/** Returns the JSON of a successful response. Throws a PanelError for every other response. */
export function readResponse(response: PanelResponse, panel: string): unknown {
  const { status, location } = response;
  if (status >= 300 && status < 400) throw createRedirectError(panel, location);
  const body = parseJson(response);
  if (body === null) throw createNotJsonError(panel, response);
  if (status >= 200 && status < 300) return body;
  throw createRefusal(body as Partial<ErrorBody>, response);
}

/** Every response of the panel is a JSON object with the field `success`. */
function parseJson({ contentType, text }: PanelResponse): object | null {
  if (!/^application\/json\b/i.test(contentType)) return null;
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'success' in body ? body : null;
  } catch {
    return null;
  }
}

function createRefusal({ error, code = '' }: Partial<ErrorBody>, response: PanelResponse) {
  const { status, retryAfter } = response;
  const seconds = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null;
  const isTransient = TRANSIENT_STATUSES.includes(status);
  const message = explainCode(code, seconds) ?? error ?? `The panel responded with HTTP ${status}.`;
  return new PanelError(message, { code, isTransient, retryAfterSeconds: seconds });
}

/** For codes whose sentence is written for the screens. */
function explainCode(code: string, retryAfterSeconds: number | null): string | null {
  switch (code) {
    case 'unauthenticated':
      return 'The access token did not arrive at the panel. Check that the proxy of the panel forwards the header Authorization.';
    case 'rate_limited':
      return `Too many requests. Try again in ${retryAfterSeconds ?? 60} seconds.`;
    case 'not_found':
      return 'The panel does not know this request. Use the version of steward that the panel has.';
    default:
      return null;
  }
}

function createRedirectError(panel: string, location: string | null): PanelError {
  const target = location === null ? null : URL.parse(location, panel);
  // Without query and fragment: a login page may have a token there.
  const place = target ? `${target.origin}${target.pathname}` : 'another address';
  return new PanelError(
    `${panel} redirects to ${place}. The token was not sent there. Set STEWARD_URL to the address of the panel itself, without a login page in front of it.`,
  );
}

function createNotJsonError(panel: string, { status, contentType }: PanelResponse): PanelError {
  const what = /html/i.test(contentType) ? 'a web page' : 'something else';
  return new PanelError(
    `${panel} responded with ${what} instead of JSON (HTTP ${status}). Check STEWARD_URL, and the proxy or login page in front of the panel.`,
    { isTransient: TRANSIENT_STATUSES.includes(status) },
  );
}
