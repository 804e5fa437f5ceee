import { CSRF_HEADER } from '@steward/contract';

/** Somebody who is signed in to the panel, as the screens are. */
export type PanelSession = {
  call<Answer>(method: string, path: string, body?: object): Promise<Answer>;
  download(path: string): Promise<Buffer>;
};

export async function signIn(
  panelUrl: string,
  credentials: { email: string; password: string },
): Promise<PanelSession> {
  const { email, password } = credentials;
  const answer = await fetch(`${panelUrl}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  await assertOk(answer);
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { csrf_token } = (await answer.json()) as { csrf_token: string };

  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(panelUrl + path, {
      method,
      headers: {
        cookie,
        [CSRF_HEADER]: csrf_token,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    await assertOk(response);
    return response;
  };
  return {
    call: async <Answer>(method: string, path: string, body?: object) =>
      (await (await send(method, path, body)).json()) as Answer,
    download: async (path) => Buffer.from(await (await send('GET', path)).arrayBuffer()),
  };
}

async function assertOk(response: Response): Promise<void> {
  if (response.ok) return;
  throw new Error(`The panel answered ${response.url} with ${await response.text()}`);
}
