import { noteSecret } from './logs.ts';
import { steward } from './processes.ts';

/** An owner of a panel that runs as a process, signed in over HTTP. */
export async function signInOwner(panelUrl: string, env: NodeJS.ProcessEnv) {
  const email = 'owner@example.com';
  const create = ['user', 'create', '--email', email, '--role', 'owner', '--json'];
  const { password } = JSON.parse((await steward(create, env)).stdout);
  noteSecret(password);
  return signInAs(panelUrl, email, password);
}

export async function signInAs(panelUrl: string, email: string, password: string) {
  const answer = await fetch(`${panelUrl}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  noteSecret(cookie.split('=')[1] ?? cookie);
  const { csrf_token } = (await answer.json()) as { csrf_token: string };
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(panelUrl + path, {
      method,
      headers: {
        cookie,
        'x-csrf-token': csrf_token,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever the panel answers; the test looks at it.
    return { status: response.status, body: (await response.json()) as any };
  };
  return {
    email,
    password,
    cookie,
    /** Gives the answer when it has begun. */
    open: (path: string) => fetch(panelUrl + path, { headers: { cookie } }),
    get: (path: string) => call('GET', path),
    post: (path: string, body?: unknown, headers?: object) => call('POST', path, body, headers),
    patch: (path: string, body: unknown) => call('PATCH', path, body),
  };
}
