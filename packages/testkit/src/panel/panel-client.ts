import { CSRF_HEADER } from '@steward/contract';
import { registerSecret } from '../logs.ts';

export type CallOptions = {
  headers?: Record<string, string>;
  /** The client address of the request. Only injected requests can set it. */
  remoteAddress?: string;
};

export type PanelRequest = CallOptions & { method: string; path: string; body?: unknown };

export type PanelResponse = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape of the response.
  body: any;
  headers: Record<string, unknown>;
  cookies: string[];
};

/** Sends a request to the panel: over HTTP, or injected into an app without a network. */
export type Transport = (request: PanelRequest) => Promise<PanelResponse>;

export type Credentials = { email: string; password: string };

/** Creates a client that calls the panel as a browser with this cookie and this CSRF token. */
export function createPanelClient(transport: Transport, cookie = '', csrfToken = '') {
  const call = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    transport({
      method,
      path,
      body,
      ...options,
      headers: {
        ...(cookie && { cookie }),
        ...(csrfToken && { [CSRF_HEADER]: csrfToken }),
        ...options.headers,
      },
    });
  return {
    call,
    cookie,
    csrfToken,
    get: (path: string, options?: CallOptions) => call('GET', path, undefined, options),
    post: (path: string, body?: unknown, options?: CallOptions) =>
      call('POST', path, body, options),
    patch: (path: string, body: unknown) => call('PATCH', path, body),
    /** Returns the body and throws if the call fails. For set-up steps that must succeed. */
    async ask<Body>(method: string, path: string, body?: unknown, options?: CallOptions) {
      const response = await call(method, path, body, options);
      if (response.status < 300) return response.body as Body;
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    },
  };
}

export type PanelClient = ReturnType<typeof createPanelClient>;

export async function signIn(transport: Transport, credentials: Credentials) {
  const { email, password } = credentials;
  registerSecret(password);
  const client = createPanelClient(transport);
  const { status, body, cookies } = await client.post('/auth/sign-in/email', { email, password });
  if (status !== 200) throw new Error(`Sign-in failed: ${JSON.stringify(body)}`);
  return {
    ...createPanelClient(transport, sessionCookie(cookies), body.csrf_token),
    email,
    password,
  };
}

export const signInAt = (panelUrl: string, credentials: Credentials) =>
  signIn(overHttp(panelUrl), credentials);

export function overHttp(panelUrl: string): Transport {
  return async ({ method, path, body, headers = {} }) => {
    const response = await fetch(panelUrl + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie();
    registerCookies(cookies);
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      body: isJson ? await response.json() : Buffer.from(await response.arrayBuffer()),
      headers: Object.fromEntries(response.headers),
      cookies,
    };
  };
}

/** Returns the session cookie as the browser sends it. */
export function sessionCookie(cookies: string[]): string {
  const session = cookies.find((cookie) => cookie.includes('session_token='));
  return session?.split(';', 1)[0] ?? '';
}

export function registerCookies(cookies: string[]): void {
  for (const cookie of cookies) {
    const value = decodeURIComponent(cookie.split(';', 1)[0]?.split('=', 2)[1] ?? '');
    if (value.length > 20) registerSecret(value.split('.', 1)[0] ?? value);
  }
}
