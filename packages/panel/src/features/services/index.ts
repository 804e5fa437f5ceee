export { serviceRoutes } from './services.routes.ts';
export { createServiceCatalogue, type ServiceCatalogue } from './services.service.ts';
