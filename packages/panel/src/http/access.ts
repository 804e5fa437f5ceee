import { CSRF_HEADER, type PanelUser, type Permission, roleMay } from '@steward/contract';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify';
import { AppError } from '../platform/app-error.ts';
import type { Origin } from '../platform/origin.ts';
import { assertFromOwnPage } from './own-page.ts';

/**
 * Who may call a route.
 * `public`: anybody. `license_key`: whoever sends a license key in the body. `visitor`: somebody who
 * has no session yet and is about to get one, from the panel's own pages only. `session`: whoever is
 * signed in and has the permission that the route states too.
 */
export type Access = 'public' | 'license_key' | 'visitor' | 'session';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    permission?: Permission;
    /** Refused unless the caller has proven of late who they are, at `POST /auth/confirm`. */
    confirmation?: true;
  }
  interface FastifyInstance {
    /** Who may call each route, for a test to pin. */
    statedAccess(): Record<string, string>;
  }
  interface FastifyRequest {
    /** Null on routes without `access: 'session'`; `signedIn()` is for those with it. */
    signedIn: SignedIn | null;
  }
}

/** Who a request comes from. */
export type SignedIn = {
  user: PanelUser;
  sessionId: number;
  /** They proved who they are within the last minutes. A stolen cookie alone does not. */
  isConfirmed: boolean;
  /** Owners require a second factor, and this user has none: only the own account is open. */
  lacksSecondFactor: boolean;
};

/** What the accounts feature offers to the routes of all features. */
export type Sessions = {
  /** Null without a valid session. */
  authenticate(cookieHeader: string | undefined): Promise<SignedIn | null>;
  isCsrfToken(signedIn: SignedIn, token: unknown): boolean;
};

type Dependencies = { sessions: Sessions; baseUrl: string };

/**
 * A route that does not say who may call it stops the server from starting. What it says is
 * enforced here, before its body is read.
 */
export function guardRoutes(app: FastifyInstance, deps: Dependencies): void {
  const stated: Record<string, string> = {};
  app.decorate('statedAccess', () => ({ ...stated }));
  app.decorateRequest('signedIn', null);

  app.addHook('onRoute', (route) => {
    const { access, permission, confirmation } = route.config ?? {};
    const name = `${route.method} ${route.url}`;
    if (access === undefined) throw new Error(`${name} does not state who may call it.`);
    if ((access === 'session') !== (permission !== undefined)) {
      throw new Error(`${name} must state a permission if, and only if, it needs a session.`);
    }
    if (confirmation && access !== 'session') {
      throw new Error(`${name} can ask for a confirmation only with a session.`);
    }
    const rule = `session: ${permission}${confirmation ? ', confirmed' : ''}`;
    for (const method of [route.method].flat()) {
      stated[`${method} ${route.url}`] = permission ? rule : access;
    }
    // Hung on the route itself: the calls of sites, which are most, are not held up by it.
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
      assertFromOwnPage(request, baseUrl);
    };
  }
  if (permission === undefined) return null;
  return async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const signedIn = await sessions.authenticate(request.headers.cookie);
    if (!signedIn) throw new AppError('unauthenticated');
    const token = request.headers[CSRF_HEADER.toLowerCase()];
    if (changesSomething(request) && !sessions.isCsrfToken(signedIn, token)) {
      throw new AppError('csrf_token_invalid');
    }
    if (!roleMay(signedIn.user.role, permission)) throw new AppError('forbidden');
    if (signedIn.lacksSecondFactor && permission !== 'account') {
      throw new AppError('second_factor_required');
    }
    request.signedIn = signedIn;
    if (confirmation) assertConfirmed(request);
  };
}

function changesSomething({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Who is signed in, on a route with `access: 'session'`. */
export function signedIn(request: FastifyRequest): SignedIn {
  if (request.signedIn) return request.signedIn;
  throw new Error(`${request.method} ${request.url} asks who is signed in but needs no session.`);
}

/** For routes where it depends on what is asked for; others state `confirmation: true`. */
export function assertConfirmed(request: FastifyRequest): void {
  if (!signedIn(request).isConfirmed) throw new AppError('confirmation_required');
}

/** Who is behind a change that is made on the panel. */
export function panelOrigin(request: FastifyRequest): Origin {
  const actor = request.signedIn ? String(request.signedIn.user.id) : 'system';
  return { actor, via: 'panel', ip: request.ip, requestId: request.id };
}
