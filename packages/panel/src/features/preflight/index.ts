export { preflightRoutes } from './preflight.routes.ts';
export { createPreflightService } from './preflight.service.ts';
