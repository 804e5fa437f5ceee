import { randomBytes } from 'node:crypto';
import type { Role } from '@steward/contract';
import type { InjectOptions } from 'fastify';
import { beforeAll } from 'vitest';
import { noteSecret } from './logs.ts';
import { OPERATOR, type TestPanel, useTestPanel } from './test-panel.ts';

/** Whoever uses the panel in a test. What they keep secret is looked for in the logs. */

export type Credentials = { id: number; email: string; password: string };

export function newPassword(): string {
  const password = `pw ${randomBytes(12).toString('hex')}`;
  noteSecret(password);
  return password;
}

let lastPerson = 0;
export function newEmail(): string {
  return `person-${++lastPerson}@example.com`;
}

export async function newUser(panel: TestPanel, role: Role = 'owner'): Promise<Credentials> {
  const [email, password] = [newEmail(), newPassword()];
  const { id } = await panel.services.users.create({ email, role, password }, OPERATOR);
  return { id, email, password };
}

type Call = Omit<InjectOptions, 'method' | 'url'>;

/** Calls as a browser would that has these cookies and this token. */
export function browser(panel: TestPanel, cookie = '', csrfToken = '') {
  const call = async (method: string, url: string, payload?: unknown, more: Call = {}) => {
    const response = await panel.app.inject({
      method: method as 'POST',
      url,
      ...(payload !== undefined && { payload: payload as object }),
      ...more,
      headers: {
        ...(cookie && { cookie }),
        ...(csrfToken && { 'x-csrf-token': csrfToken }),
        ...more.headers,
      },
    });
    const cookies = [response.headers['set-cookie'] ?? []].flat();
    for (const each of cookies) noteCookie(each);
    const isJson = String(response.headers['content-type']).includes('json');
    const body = isJson && response.body !== '' ? response.json() : null;
    return { status: response.statusCode, body, headers: response.headers, cookies };
  };
  return {
    call,
    cookie,
    csrfToken,
    get: (url: string, more?: Call) => call('GET', url, undefined, more),
    post: (url: string, body?: unknown, more?: Call) => call('POST', url, body, more),
  };
}

export type Browser = ReturnType<typeof browser>;

export function signIn(panel: TestPanel, { email, password }: Credentials, more: Call = {}) {
  return browser(panel).post('/auth/sign-in/email', { email, password }, more);
}

/** Somebody who is signed in. */
export async function signedIn(panel: TestPanel, who: Credentials): Promise<Browser> {
  const { status, body, cookies } = await signIn(panel, who);
  if (status !== 200) throw new Error(`The sign-in failed: ${JSON.stringify(body)}`);
  return browser(panel, sessionCookie(cookies), body.csrf_token);
}

/** A new user of that role, signed in. */
export async function newPerson(panel: TestPanel, role: Role = 'owner') {
  const credentials = await newUser(panel, role);
  return { ...credentials, ...(await signedIn(panel, credentials)) };
}

export type Person = Awaited<ReturnType<typeof newPerson>>;

/** A panel with one owner, who is signed in, for all tests of a file or of a part of it. */
export function usePanelWithOwner() {
  const panel = useTestPanel();
  const owner = {} as Person;
  beforeAll(async () => {
    Object.assign(owner, await newPerson(panel, 'owner'));
  });
  return { panel, owner };
}

/** What a browser sends back of what it was given. */
export function sessionCookie(cookies: string[]): string {
  const session = cookies.find((cookie) => cookie.includes('session_token='));
  return session?.split(';', 1)[0] ?? '';
}

function noteCookie(cookie: string): void {
  const value = decodeURIComponent(cookie.split(';', 1)[0]?.split('=', 2)[1] ?? '');
  if (value.length > 20) noteSecret(value.split('.', 1)[0] ?? value);
}
