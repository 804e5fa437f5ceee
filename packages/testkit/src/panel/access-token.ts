import type { AccessTokenSummary, CreateAccessTokenRequest } from '@steward/contract';
import { registerSecret } from '../logs.ts';
import { createPanelClient, type PanelClient } from './panel-client.ts';
import { browser } from './signed-in-user.ts';
import type { TestPanel } from './test-panel.ts';

/** Calls the panel with an access token, without a cookie and without a CSRF token. */
export function withToken(panel: TestPanel, secret: string): PanelClient {
  const { call } = browser(panel);
  return createPanelClient(({ method, path, body, headers, ...options }) =>
    call(method, path, body, {
      ...options,
      headers: { authorization: `Bearer ${secret}`, ...headers },
    }),
  );
}

/** Creates a token in the session of the user, and returns a client that uses it. */
export async function newToken(
  panel: TestPanel,
  user: Pick<PanelClient, 'ask'>,
  request: Partial<CreateAccessTokenRequest> = {},
) {
  const body = { name: 'deploy', role: 'owner', actions: ['read'], ...request };
  const { token, secret } = await user.ask<{ token: AccessTokenSummary; secret: string }>(
    'POST',
    '/panel/account/tokens',
    body,
  );
  registerSecret(secret);
  return { ...token, secret, ...withToken(panel, secret) };
}
