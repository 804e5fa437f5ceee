export { clientLogoRoutes } from './client-logos.routes.ts';
export { createClientLogoService } from './client-logos.service.ts';
export { clientRoutes } from './clients.routes.ts';
export { type ClientService, createClientService } from './clients.service.ts';
export { membershipRoutes } from './memberships.routes.ts';
export { createMembershipService, type MembershipService } from './memberships.service.ts';
