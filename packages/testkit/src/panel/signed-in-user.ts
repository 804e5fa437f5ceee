import { randomBytes } from 'node:crypto';
import type { Role } from '@steward/contract';
import { beforeAll } from 'vitest';
import { registerSecret } from '../logs.ts';
import {
  type CallOptions,
  createPanelClient,
  type PanelClient,
  registerCookies,
  sessionCookie,
  type Transport,
} from './panel-client.ts';
import { OPERATOR, type TestPanel, useTestPanel } from './test-panel.ts';

export type Credentials = { id: number; email: string; password: string };
export type Browser = PanelClient;
export { sessionCookie };

export function newPassword(): string {
  const password = `pw ${randomBytes(12).toString('hex')}`;
  registerSecret(password);
  return password;
}

let userCount = 0;
export function newEmail(): string {
  return `person-${++userCount}@example.com`;
}

export async function newUser(panel: TestPanel, role: Role = 'owner'): Promise<Credentials> {
  const [email, password] = [newEmail(), newPassword()];
  const { id } = await panel.services.users.create({ email, role, password }, OPERATOR);
  return { id, email, password };
}

/** Sends requests to the app without a network. */
const createInjectedTransport =
  ({ app }: Pick<TestPanel, 'app'>): Transport =>
  async ({ path, body, method, ...request }) => {
    const response = await app.inject({
      ...request,
      method: method as 'POST',
      url: path,
      ...(body !== undefined && { payload: body as object }),
    });
    const cookies = [response.headers['set-cookie'] ?? []].flat();
    registerCookies(cookies);
    const type = String(response.headers['content-type']);
    const isJson = type.includes('json');
    const other = type.includes('csv') ? response.body : null;
    return {
      status: response.statusCode,
      body: isJson && response.body !== '' ? response.json() : other,
      headers: response.headers,
      cookies,
    };
  };

/** Creates a client that calls the panel as a browser with this cookie and this CSRF token. */
export const browser = (panel: TestPanel, cookie = '', csrfToken = ''): Browser =>
  createPanelClient(createInjectedTransport(panel), cookie, csrfToken);

export function signIn(panel: TestPanel, { email, password }: Credentials, more: CallOptions = {}) {
  return browser(panel).post('/auth/sign-in/email', { email, password }, more);
}

/** Signs the user in and returns the client with the session. */
export async function signedIn(panel: TestPanel, credentials: Credentials): Promise<Browser> {
  const { status, body, cookies } = await signIn(panel, credentials);
  if (status !== 200) throw new Error(`Sign-in failed: ${JSON.stringify(body)}`);
  return browser(panel, sessionCookie(cookies), body.csrf_token);
}

/** Creates a user with this role and signs in. */
export async function newSignedInUser(panel: TestPanel, role: Role = 'owner') {
  const credentials = await newUser(panel, role);
  return { ...credentials, ...(await signedIn(panel, credentials)) };
}

export type Person = Awaited<ReturnType<typeof newSignedInUser>>;

/** Starts a panel with one signed-in owner for all tests of a file or a describe block. */
export function usePanelWithOwner() {
  const panel = useTestPanel();
  const owner = {} as Person;
  beforeAll(async () => {
    Object.assign(owner, await newSignedInUser(panel, 'owner'));
  });
  return { panel, owner };
}
