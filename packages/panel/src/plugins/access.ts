import type { FastifyInstance } from 'fastify';

/** Who may call a route. `license_key`: whoever sends a license key in the body. */
export type Access = 'public' | 'license_key';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyInstance {
    /** Who may call each route, for a test to pin. */
    statedAccess(): Record<string, Access>;
  }
}

/** A route that does not say who may call it stops the server from starting. */
export function requireStatedAccess(app: FastifyInstance): void {
  const stated: Record<string, Access> = {};
  app.decorate('statedAccess', () => ({ ...stated }));
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) {
      throw new Error(`${method} ${url} does not state who may call it.`);
    }
    for (const each of [method].flat()) stated[`${each} ${url}`] = config.access;
  });
}
