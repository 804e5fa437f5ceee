import {
  CSRF_HEADER,
  type PanelUser,
  type Permission,
  roleMay,
  type TokenAction,
} from '@steward/contract';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  onRequestAsyncHookHandler,
  preHandlerAsyncHookHandler,
} from 'fastify';
import { AppError } from '../platform/app-error.ts';
import type { AuditOrigin } from '../platform/audit-origin.ts';
import { isForm } from './form-body.ts';
import { hasForeignBearer, readAccessToken } from './request-token.ts';
import { assertSameOrigin } from './same-origin.ts';

/**
 * The clients that may call a route.
 * `public`: every client.
 * `license_key`: a client that sends a license key, a site key or an enrolment code; the service checks it.
 * `visitor`: a user who signs in or sets up an account, but not from the pages of another site.
 * `session`: a signed-in user with the permission that the route requires, or an access token of such a user.
 */
export type Access = 'public' | 'license_key' | 'visitor' | 'session';

/**
 * The action that an access token needs for a route. Of several, it needs one; the handler then checks which one the
 * request requires. `any`: every token. `false`: no token is accepted.
 */
export type TokenRule = TokenAction | readonly TokenAction[] | 'any' | false;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    permission?: Permission;
    /**
     * Requires a recent confirmation of identity at `POST /auth/confirm`, or an access token with the action.
     * `by_request`: the handler or the service requires it for some requests. `after_sign_in`: the sign-in itself does not
     * count. docs/confirmation.md lists all routes.
     */
    confirmation?: true | 'by_request' | 'after_sign_in';
    tokenAction?: TokenRule;
    /**
     * `form`: a form of our own pages may send the CSRF token in the field `csrf_token`, because it cannot set a header. Used
     * where the response must be a page.
     */
    csrf?: 'form';
    /** The log then contains the pattern of the route instead of the path. */
    hasSecretInPath?: true;
  }
  interface FastifyInstance {
    /** The access rule of each route, for a test that pins the list. */
    accessRules(): Record<string, string>;
    /** The rule for access tokens of each route that requires a session. */
    tokenRules(): Record<string, TokenRule>;
  }
  interface FastifyRequest {
    /** Null on routes without `access: 'session'`. Routes with it use `signedIn()`. */
    signedIn: Caller | null;
  }
}

/** The user and session of a request. */
export type SignedIn = {
  user: PanelUser;
  sessionId: number;
  /** Whether the user confirmed their identity in the last minutes. A stolen cookie is not enough. */
  isConfirmed: boolean;
  /** Whether they did so after the sign-in: a session stolen right after it is not enough. */
  isConfirmedAfterSignIn: boolean;
  /** Whether this user must set up a second factor first. Until then, only their own account is accessible. */
  mustSetUpSecondFactor: boolean;
  token?: undefined;
  /** Set only for the operator at the command line, who is not a user. */
  auditOrigin?: AuditOrigin;
};

/** A request with an access token instead of a session. */
export type TokenCaller = {
  /** The user of the token with the role of the token, or the bot user that holds the grants of the token. */
  user: PanelUser;
  token: { id: number; name: string; userId: number; actions: readonly TokenAction[] };
  /** Whether the user of the token must set up a second factor first. */
  mustSetUpSecondFactor: boolean;
};

export type Caller = SignedIn | TokenCaller;

/** The accounts feature provides this to the routes of all features. */
export type Sessions = {
  /** Returns null without a valid session. */
  authenticate(cookieHeader: string | undefined): Promise<SignedIn | null>;
  isCsrfToken(signedIn: SignedIn, token: unknown): boolean;
};

/** The access-tokens feature provides this. */
export type TokenAuthentication = {
  /** Throws `token_invalid` or `token_sites_changed`. */
  authenticate(token: string, ip: string): Promise<TokenCaller>;
};

type Credentials = { sessions: Sessions; tokenAuthentication: TokenAuthentication };
type Dependencies = Credentials & { baseUrl: string };

/**
 * Finds the caller of a request. With an access token, the cookie is ignored: a request has one identity. Throws if the
 * request has no valid credentials.
 */
export async function authenticate(
  request: FastifyRequest,
  { sessions, tokenAuthentication }: Credentials,
): Promise<Caller> {
  const token = readAccessToken(request);
  if (token !== null) return tokenAuthentication.authenticate(token, request.ip);
  const signedIn = await sessions.authenticate(request.headers.cookie);
  if (signedIn) return signedIn;
  throw new AppError(hasForeignBearer(request) ? 'token_invalid' : 'unauthenticated');
}

/**
 * Enforces the access rule of each route before the body is read. The server does not start if a route
 * has no access rule.
 */
export function guardRoutes(app: FastifyInstance, deps: Dependencies): void {
  const rules: Record<string, string> = {};
  const tokenRules: Record<string, TokenRule> = {};
  app.decorate('accessRules', () => ({ ...rules }));
  app.decorate('tokenRules', () => ({ ...tokenRules }));
  app.decorateRequest('signedIn', null);

  app.addHook('onRoute', (route) => {
    const { access, permission, confirmation, tokenAction } = route.config ?? {};
    const name = `${route.method} ${route.url}`;
    if (access === undefined) throw new Error(`${name} has no access rule.`);
    if ((access === 'session') !== (permission !== undefined)) {
      throw new Error(`${name} must have a permission if, and only if, its access is session.`);
    }
    if ((access === 'session') !== (tokenAction !== undefined)) {
      throw new Error(`${name} must have a token action if, and only if, its access is session.`);
    }
    if (confirmation && access !== 'session') {
      throw new Error(`${name} can require a confirmation only with a session.`);
    }
    const rule = `session: ${permission}${describeConfirmation(confirmation)}`;
    for (const method of [route.method].flat()) {
      rules[`${method} ${route.url}`] = permission ? rule : access;
      if (tokenAction !== undefined) tokenRules[`${method} ${route.url}`] = tokenAction;
    }
    // Attached per route, not globally: most requests are calls from sites, which need no guard. It runs after the rate
    // limit, which must also count refused requests.
    const guard = guardFor(route.config ?? {}, deps);
    if (guard) route.onRequest = [...[route.onRequest ?? []].flat(), guard];
    if (route.config?.csrf === 'form') {
      const checkForm: preHandlerAsyncHookHandler = async (request) =>
        assertFormToken(request, deps.sessions);
      route.preHandler = [checkForm, ...[route.preHandler ?? []].flat()];
    }
  });
}

function guardFor(
  { access, permission, confirmation, tokenAction, csrf }: FastifyContextConfig,
  deps: Dependencies,
): onRequestAsyncHookHandler | null {
  if (access === 'visitor') {
    return async (request, reply) => {
      reply.header('cache-control', 'no-store');
      assertSameOrigin(request, deps.baseUrl);
    };
  }
  if (permission === undefined) return null;
  return async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const caller = await authenticate(request, deps);
    // The field of a form is checked when the body is read.
    if (csrf === 'form' && isForm(request)) assertSameOrigin(request, deps.baseUrl);
    else if (!caller.token) assertCsrfToken(request, caller, deps.sessions);
    if (!roleMay(caller.user.role, permission)) throw new AppError('forbidden');
    if (caller.mustSetUpSecondFactor && permission !== 'account') {
      throw new AppError('second_factor_required');
    }
    request.signedIn = caller;
    if (caller.token) assertTokenRule(caller.token, tokenAction ?? false);
    else if (confirmation === true) assertConfirmed(request);
    else if (confirmation === 'after_sign_in') assertConfirmedAfterSignIn(caller);
  };
}

function describeConfirmation(rule: FastifyContextConfig['confirmation']): string {
  if (rule === 'by_request') return ', confirmed by request';
  if (rule === 'after_sign_in') return ', confirmed after sign-in';
  return rule ? ', confirmed' : '';
}

/** Only cookies need this: a browser never adds an access token to the request of another site. */
function assertCsrfToken(request: FastifyRequest, caller: SignedIn, sessions: Sessions): void {
  const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
  const token = request.headers[CSRF_HEADER.toLowerCase()];
  if (isWrite && !sessions.isCsrfToken(caller, token)) throw new AppError('csrf_token_invalid');
}

function assertFormToken(request: FastifyRequest, sessions: Sessions): void {
  const caller = signedIn(request);
  const { csrf_token: token } = (request.body ?? {}) as { csrf_token?: unknown };
  if (isForm(request) && !caller.token && !sessions.isCsrfToken(caller, token))
    throw new AppError('csrf_token_invalid');
}

function assertTokenRule({ actions }: TokenCaller['token'], rule: TokenRule): void {
  if (rule === 'any') return;
  if (rule === false) throw new AppError('token_not_allowed');
  const accepted = [rule].flat();
  if (accepted.some((action) => actions.includes(action))) return;
  throw new AppError('token_action_missing', {
    message: `This access token does not include the action ${accepted.map((action) => `“${action}”`).join(' or ')}. On the account page, create a token that includes it.`,
  });
}

/** For routes on which the request decides which action an access token needs. */
export function assertTokenAction(request: FastifyRequest, action: TokenAction): void {
  const { token } = signedIn(request);
  if (token) assertTokenRule(token, action);
}

/** Returns the caller on a route with `access: 'session'`. */
export function signedIn(request: FastifyRequest): Caller {
  if (request.signedIn) return request.signedIn;
  throw new Error(
    `${request.method} ${request.url} reads the signed-in user but requires no session.`,
  );
}

/** Returns the session on a route with `tokenAction: false`. */
export function signedInSession(request: FastifyRequest): SignedIn {
  const caller = signedIn(request);
  if (!caller.token) return caller;
  throw new Error(`${request.method} ${request.url} reads the session but accepts access tokens.`);
}

/**
 * For routes that require a confirmation only for some requests; all others set `confirmation: true`. An access token
 * cannot be confirmed. It needs `tokenAction`, which its user confirmed when they created it.
 */
export function assertConfirmed(request: FastifyRequest, tokenAction: TokenRule = false): void {
  if (!request.routeOptions.config.confirmation) {
    throw new Error(`${request.method} ${request.url} requires a confirmation but declares none.`);
  }
  const caller = signedIn(request);
  if (caller.token) assertTokenRule(caller.token, tokenAction);
  else if (!caller.isConfirmed) throw new AppError('confirmation_required');
}

function assertConfirmedAfterSignIn({ isConfirmedAfterSignIn }: SignedIn): void {
  if (!isConfirmedAfterSignIn) throw new AppError('confirmation_required');
}

/** Returns the origin for the audit record of a change on the panel. */
export function getAuditOrigin(request: FastifyRequest): AuditOrigin {
  const caller = request.signedIn;
  const origin = { via: 'panel', ip: request.ip, requestId: request.id } as const;
  if (!caller) return { actor: 'system', ...origin };
  if (!caller.token) {
    if (caller.auditOrigin) return { ...caller.auditOrigin, requestId: request.id };
    const session = { id: caller.sessionId, isConfirmed: caller.isConfirmed };
    return { actor: String(caller.user.id), ...origin, session };
  }
  const { id, name, userId } = caller.token;
  return { actor: String(userId), ...origin, token: { id, name } };
}
