export { startPackageCleanup } from './package-cleanup.ts';
export { packageRoutes } from './packages.routes.ts';
export { createPackageService, type PackageService } from './packages.service.ts';
