import type { FastifyInstance } from 'fastify';

/** Who may call a route. `license_key`: whoever sends a license key in the body. */
export type Access = 'public' | 'license_key';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}

/** A route that does not say who may call it stops the server from starting. */
export function requireStatedAccess(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) {
      throw new Error(`${route.method} ${route.url} does not state who may call it.`);
    }
  });
}
