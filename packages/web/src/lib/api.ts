import type { CSRF_HEADER } from '@steward/contract';
import { commonMessages } from '../messages/common.ts';
import { askForConfirmation } from './confirmation.ts';
import { noteServerTime } from './server-clock.ts';

/** Every `fetch` from the screens uses this module. Only event streams and downloads do not. */

const messages = commonMessages.errors;
const TOKEN_HEADER: typeof CSRF_HEADER = 'X-CSRF-TOKEN';

/** An error response. Its message is the panel's message for users. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.error === 'string' ? body.error : messages.unreadableResponse);
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'unreadable';
    this.requestId = typeof body.request_id === 'string' ? body.request_id : null;
    this.body = body;
  }
}

const OFFLINE = { error: messages.offline, code: 'offline' };

type Query = Record<string, string | number | null | undefined>;
type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Query;
  /** JSON, or a file. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

let csrfToken = '';
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** For forms, which cannot set a header. */
export const getCsrfToken = () => csrfToken;

let signedOutListener = () => {};
/** Sets the function to call when a response shows that the session has ended. */
export function onSignedOut(listener: () => void): void {
  signedOutListener = listener;
}

let secondFactorMissingListener = () => {};
/** Sets the function to call when the panel requires a second factor and the user has none. */
export function onSecondFactorMissing(listener: () => void): void {
  secondFactorMissingListener = listener;
}

/** Calls the panel. If the panel requires a confirmation of identity, asks the user for it and repeats the call. */
export async function api<Body>(path: string, call: Call = {}): Promise<Body> {
  try {
    return await send<Body>(path, call);
  } catch (error) {
    if (errorCodeOf(error) !== 'confirmation_required' || !(await askForConfirmation()))
      throw error;
    return send<Body>(path, call);
  }
}

async function send<Body>(path: string, call: Call): Promise<Body> {
  const { method = 'GET', query = {}, body, headers = {}, signal } = call;
  const request: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(method === 'GET' ? {} : { [TOKEN_HEADER]: csrfToken }),
      ...(body === undefined || body instanceof Blob ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  const response = await fetch(path + queryString(query), request).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, OFFLINE);
  });
  noteServerTime(response);
  const json = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok) return json as Body;
  const error = new ApiError(response.status, json);
  if (error.code === 'unauthenticated') signedOutListener();
  if (error.code === 'second_factor_required') secondFactorMissingListener();
  throw error;
}

/** Omits empty values, so that each view has exactly one URL. */
export function queryString(query: Query): string {
  const entries = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

/** No connection, or an error of the server or of a proxy. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

export function errorCodeOf(error: unknown): string | null {
  return error instanceof ApiError ? error.code : null;
}
