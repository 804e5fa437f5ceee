export { softwareRoutes } from './software.routes.ts';
export { createSoftwareService, type SoftwareService } from './software.service.ts';
export { findSoftware } from './software-sites.repository.ts';
