import { type AuthDependencies, authOptions, CLIENT_IP_HEADER } from './auth-options.ts';

/** Where a sign-in comes from. */
export type Client = {
  ip: string;
  userAgent: string | undefined;
  cookieHeader: string | undefined;
};

/**
 * better-auth, cut down to what the panel needs of it: it checks passwords, opens sessions and signs
 * their cookies. None of its own endpoints is reachable; whether a session still holds is asked of
 * our tables.
 */
export type Authenticator = {
  /** Null for an unknown address as for a wrong password, after the same time. */
  openSession(
    credentials: { email: string; password: string },
    client: Client,
  ): Promise<{ token: string; cookies: string[] } | null>;
  /** For who has proven by something else than a password who they are. */
  openSessionOf(userId: number, client: Client): Promise<{ token: string; cookies: string[] }>;
  /** The token in a Cookie header, if the signature on it is ours. */
  tokenIn(cookieHeader: string): Promise<string | null>;
  /** What makes a browser forget its session. */
  forgettingCookies(): Promise<string[]>;
  /** Loads what is loaded on first use otherwise. */
  load(): Promise<void>;
};

export function createAuthenticator(deps: AuthDependencies): Authenticator {
  let loading: ReturnType<typeof loadAuth> | undefined;
  // Half a second of loading that no command but `serve` has a use for.
  const auth = () => {
    loading ??= loadAuth(deps);
    return loading;
  };

  return {
    async openSession(credentials, client) {
      const { api, isRefusal } = await auth();
      try {
        const { response, headers } = await api.signInEmail({
          body: credentials,
          headers: headersOf(client),
          returnHeaders: true,
        });
        return { token: response.token, cookies: headers.getSetCookie() };
      } catch (error) {
        if (isRefusal(error)) return null;
        throw error;
      }
    },

    async openSessionOf(userId, client) {
      const { api } = await auth();
      const { response, headers } = await api.openSession({
        body: { userId: String(userId) },
        headers: headersOf(client),
        returnHeaders: true,
      });
      return { token: response.token, cookies: headers.getSetCookie() };
    },

    async tokenIn(cookieHeader) {
      const { api } = await auth();
      return api.readSessionToken({ headers: new Headers({ cookie: cookieHeader }) });
    },

    async forgettingCookies() {
      const { api } = await auth();
      const { headers } = await api.signOut({ headers: new Headers(), returnHeaders: true });
      return headers.getSetCookie();
    },

    async load() {
      await (await auth()).ready;
    },
  };
}

function headersOf({ ip, userAgent }: Client): Headers {
  return new Headers({ [CLIENT_IP_HEADER]: ip, ...(userAgent && { 'user-agent': userAgent }) });
}

/** What says no to the person; anything else is a fault of ours. */
const REFUSALS = ['INVALID_EMAIL', 'INVALID_EMAIL_OR_PASSWORD'];

async function loadAuth(deps: AuthDependencies) {
  // Of all its switches the one in the environment wins over the option, and nothing is to leave.
  delete process.env.BETTER_AUTH_TELEMETRY;
  const { betterAuth } = await import('better-auth');
  const { APIError, createAuthEndpoint } = await import('better-auth/api');
  const { setSessionCookie } = await import('better-auth/cookies');
  const readSessionToken = createAuthEndpoint(
    { method: 'GET', requireHeaders: true },
    async ({ context, getSignedCookie }) =>
      (await getSignedCookie(context.authCookies.sessionToken.name, context.secret)) || null,
  );
  const openSession = createAuthEndpoint(
    {
      method: 'POST',
      requireHeaders: true,
      metadata: { $Infer: { body: {} as { userId: string } } },
    },
    async (endpoint): Promise<{ token: string }> => {
      const { internalAdapter } = endpoint.context;
      const { userId } = endpoint.body;
      const user = await internalAdapter.findUserById(userId);
      if (!user) throw new Error(`There is no user ${userId} to open a session for.`);
      const session = await internalAdapter.createSession(userId);
      await setSessionCookie(endpoint, { session, user });
      return { token: session.token };
    },
  );
  const auth = betterAuth({
    ...authOptions(deps),
    plugins: [{ id: 'steward', endpoints: { readSessionToken, openSession } }],
  });
  return {
    api: auth.api,
    ready: auth.$context,
    isRefusal: (error: unknown) =>
      error instanceof APIError && REFUSALS.includes(String(error.body?.code)),
  };
}
