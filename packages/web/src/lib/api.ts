import type { CSRF_HEADER } from '@steward/contract';
import { askForConfirmation } from './confirmation.ts';

/** Every call to the panel goes through here. */

const TOKEN_HEADER: typeof CSRF_HEADER = 'X-CSRF-TOKEN';

/** A refusal, with the panel's own sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.error === 'string' ? body.error : UNREADABLE);
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'unreadable';
    this.requestId = typeof body.request_id === 'string' ? body.request_id : null;
    this.body = body;
  }
}

const UNREADABLE = 'The panel answered in a way this page does not understand. Reload the page.';
const OFFLINE = {
  error: 'The panel cannot be reached. Check your connection; this page goes on by itself.',
  code: 'offline',
};

type Query = Record<string, string | number | null | undefined>;
type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

let csrfToken = '';
export function setToken(token: string): void {
  csrfToken = token;
}

let whenSignedOut = () => {};
/** Called when the panel says that nobody is signed in any more. */
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener;
}

let whenSecondFactorMissing = () => {};
/** Called when owners require a second factor, and the user has none yet. */
export function onSecondFactorMissing(listener: () => void): void {
  whenSecondFactorMissing = listener;
}

/** Asks the user to confirm who they are where the panel wants it, and then repeats the call. */
export async function api<Answer>(path: string, call: Call = {}): Promise<Answer> {
  try {
    return await send<Answer>(path, call);
  } catch (error) {
    if (codeOf(error) !== 'confirmation_required' || !(await askForConfirmation())) throw error;
    return send<Answer>(path, call);
  }
}

async function send<Answer>(path: string, call: Call): Promise<Answer> {
  const { method = 'GET', query = {}, body, headers = {}, signal } = call;
  const request: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(method === 'GET' ? {} : { [TOKEN_HEADER]: csrfToken }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  const response = await fetch(path + queryString(query), request).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, OFFLINE);
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok) return answer as Answer;
  const error = new ApiError(response.status, answer);
  if (error.code === 'unauthenticated') whenSignedOut();
  if (error.code === 'second_factor_required') whenSecondFactorMissing();
  throw error;
}

/** What is empty is left out, so that one view has one address. */
export function queryString(query: Query): string {
  const entries = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

export function codeOf(error: unknown): string | null {
  return error instanceof ApiError ? error.code : null;
}
