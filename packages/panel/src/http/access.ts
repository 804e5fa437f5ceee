import { CSRF_HEADER, type PanelUser, type Permission, roleMay } from '@steward/contract';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify';
import { AppError } from '../platform/app-error.ts';
import type { AuditOrigin } from '../platform/audit-origin.ts';
import { assertSameOrigin } from './same-origin.ts';

/**
 * The clients that may call a route.
 * `public`: every client.
 * `license_key`: a client that sends a license key in the body, or an enrolment code in the path.
 * `visitor`: a user who signs in or sets up an account, from the panel's own pages only.
 * `session`: a signed-in user with the permission that the route requires.
 */
export type Access = 'public' | 'license_key' | 'visitor' | 'session';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    permission?: Permission;
    /** Requires a recent confirmation of identity at `POST /auth/confirm`. */
    confirmation?: true;
    /** The log then contains the pattern of the route instead of the path. */
    hasSecretInPath?: true;
  }
  interface FastifyInstance {
    /** The access rule of each route, for a test that pins the list. */
    accessRules(): Record<string, string>;
  }
  interface FastifyRequest {
    /** Null on routes without `access: 'session'`. Routes with it use `signedIn()`. */
    signedIn: SignedIn | null;
  }
}

/** The user and session of a request. */
export type SignedIn = {
  user: PanelUser;
  sessionId: number;
  /** Whether the user confirmed their identity in the last minutes. A stolen cookie is not enough. */
  isConfirmed: boolean;
  /** Whether this user must set up a second factor first. Until then, only their own account is accessible. */
  mustSetUpSecondFactor: boolean;
  /** Set only for the operator at the command line, who is not a user. */
  auditOrigin?: AuditOrigin;
};

/** The accounts feature provides this to the routes of all features. */
export type Sessions = {
  /** Returns null without a valid session. */
  authenticate(cookieHeader: string | undefined): Promise<SignedIn | null>;
  isCsrfToken(signedIn: SignedIn, token: unknown): boolean;
};

type Dependencies = { sessions: Sessions; baseUrl: string };

/**
 * Enforces the access rule of each route before the body is read. The server does not start if a route
 * has no access rule.
 */
export function guardRoutes(app: FastifyInstance, deps: Dependencies): void {
  const rules: Record<string, string> = {};
  app.decorate('accessRules', () => ({ ...rules }));
  app.decorateRequest('signedIn', null);

  app.addHook('onRoute', (route) => {
    const { access, permission, confirmation } = route.config ?? {};
    const name = `${route.method} ${route.url}`;
    if (access === undefined) throw new Error(`${name} has no access rule.`);
    if ((access === 'session') !== (permission !== undefined)) {
      throw new Error(`${name} must have a permission if, and only if, its access is session.`);
    }
    if (confirmation && access !== 'session') {
      throw new Error(`${name} can require a confirmation only with a session.`);
    }
    const rule = `session: ${permission}${confirmation ? ', confirmed' : ''}`;
    for (const method of [route.method].flat()) {
      rules[`${method} ${route.url}`] = permission ? rule : access;
    }
    // Attached per route, not globally: most requests are calls from sites, which need no guard.
    const guard = guardFor(route.config ?? {}, deps);
    if (guard) route.onRequest = [guard, ...[route.onRequest ?? []].flat()];
  });
}

function guardFor(
  { access, permission, confirmation }: FastifyContextConfig,
  { sessions, baseUrl }: Dependencies,
): onRequestAsyncHookHandler | null {
  if (access === 'visitor') {
    return async (request, reply) => {
      reply.header('cache-control', 'no-store');
      assertSameOrigin(request, baseUrl);
    };
  }
  if (permission === undefined) return null;
  return async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const signedIn = await sessions.authenticate(request.headers.cookie);
    if (!signedIn) throw new AppError('unauthenticated');
    const token = request.headers[CSRF_HEADER.toLowerCase()];
    if (isWrite(request) && !sessions.isCsrfToken(signedIn, token)) {
      throw new AppError('csrf_token_invalid');
    }
    if (!roleMay(signedIn.user.role, permission)) throw new AppError('forbidden');
    if (signedIn.mustSetUpSecondFactor && permission !== 'account') {
      throw new AppError('second_factor_required');
    }
    request.signedIn = signedIn;
    if (confirmation) assertConfirmed(request);
  };
}

function isWrite({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Returns the signed-in user on a route with `access: 'session'`. */
export function signedIn(request: FastifyRequest): SignedIn {
  if (request.signedIn) return request.signedIn;
  throw new Error(
    `${request.method} ${request.url} reads the signed-in user but requires no session.`,
  );
}

/** For routes that require a confirmation only for some requests; all others set `confirmation: true`. */
export function assertConfirmed(request: FastifyRequest): void {
  if (!signedIn(request).isConfirmed) throw new AppError('confirmation_required');
}

/** Returns the origin for the audit record of a change on the panel. */
export function getAuditOrigin(request: FastifyRequest): AuditOrigin {
  const { auditOrigin } = request.signedIn ?? {};
  if (auditOrigin) return { ...auditOrigin, requestId: request.id };
  const actor = request.signedIn ? String(request.signedIn.user.id) : 'system';
  return { actor, via: 'panel', ip: request.ip, requestId: request.id };
}
