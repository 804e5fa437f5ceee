export { forgetVersions } from './forget-versions.ts';
export {
  countSitesWithOlderStewardPlugin,
  isOlderStewardPlugin,
} from './management-plugin.repository.ts';
export { softwareRoutes } from './software.routes.ts';
export { createSoftwareService, type SoftwareService } from './software.service.ts';
export { findSoftware, listInstalledOn } from './software-sites.repository.ts';
export { versionHistoryRoutes } from './version-history.routes.ts';
export { createVersionHistoryService } from './version-history.service.ts';
