import { type AuthDependencies, buildAuthOptions, CLIENT_IP_HEADER } from './auth-options.ts';

/** The browser or program that signs in. */
export type Client = {
  ip: string;
  userAgent: string | undefined;
  cookieHeader: string | undefined;
};

/**
 * better-auth, reduced to three jobs: it checks passwords, opens sessions and signs their cookies. Its own endpoints
 * are not reachable, and our tables decide whether a session is still valid.
 */
export type AuthProvider = {
  /** Returns null for an unknown address or a wrong password. Both take the same time. */
  openSession(
    credentials: { email: string; password: string },
    client: Client,
  ): Promise<{ token: string; cookies: string[] } | null>;
  /** Opens a session without a password check. The caller has already authenticated the user. */
  openSessionForUser(userId: number, client: Client): Promise<{ token: string; cookies: string[] }>;
  /** Returns the session token in a Cookie header, or null if the cookie is missing or its signature is invalid. */
  readToken(cookieHeader: string): Promise<string | null>;
  /** Builds the Set-Cookie values that delete the session cookie. */
  buildDeletionCookies(): Promise<string[]>;
  /** Loads better-auth now instead of at first use. */
  load(): Promise<void>;
};

export function createAuthProvider(deps: AuthDependencies): AuthProvider {
  let loading: ReturnType<typeof loadAuth> | undefined;
  // Loading takes half a second, and only `serve` needs it.
  const getAuth = () => {
    loading ??= loadAuth(deps);
    return loading;
  };

  return {
    async openSession(credentials, client) {
      const { api, isRefusal } = await getAuth();
      try {
        const { response, headers } = await api.signInEmail({
          body: credentials,
          headers: buildHeaders(client),
          returnHeaders: true,
        });
        return { token: response.token, cookies: headers.getSetCookie() };
      } catch (error) {
        if (isRefusal(error)) return null;
        throw error;
      }
    },

    async openSessionForUser(userId, client) {
      const { api } = await getAuth();
      const { response, headers } = await api.openSession({
        body: { userId: String(userId) },
        headers: buildHeaders(client),
        returnHeaders: true,
      });
      return { token: response.token, cookies: headers.getSetCookie() };
    },

    async readToken(cookieHeader) {
      const { api } = await getAuth();
      return api.readSessionToken({ headers: new Headers({ cookie: cookieHeader }) });
    },

    async buildDeletionCookies() {
      const { api } = await getAuth();
      const { headers } = await api.signOut({ headers: new Headers(), returnHeaders: true });
      return headers.getSetCookie();
    },

    async load() {
      await (await getAuth()).ready;
    },
  };
}

function buildHeaders({ ip, userAgent }: Client): Headers {
  return new Headers({ [CLIENT_IP_HEADER]: ip, ...(userAgent && { 'user-agent': userAgent }) });
}

/** Error codes of a refused sign-in. Any other code is an internal error. */
const REFUSAL_CODES = ['INVALID_EMAIL', 'INVALID_EMAIL_OR_PASSWORD'];

async function loadAuth(deps: AuthDependencies) {
  // The variable overrides the `telemetry` option, and the panel must not send telemetry.
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
      if (!user) throw new Error(`Cannot open a session: user ${userId} does not exist.`);
      const session = await internalAdapter.createSession(userId);
      await setSessionCookie(endpoint, { session, user });
      return { token: session.token };
    },
  );
  const auth = betterAuth({
    ...buildAuthOptions(deps),
    plugins: [{ id: 'steward', endpoints: { readSessionToken, openSession } }],
  });
  return {
    api: auth.api,
    ready: auth.$context,
    isRefusal: (error: unknown) =>
      error instanceof APIError && REFUSAL_CODES.includes(String(error.body?.code)),
  };
}
