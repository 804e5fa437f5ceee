export { findShippedPluginVersion } from './shipped-plugin-version.ts';
export { wordpressPluginRoutes } from './wordpress-plugin.routes.ts';
export { assertReachable, createWordPressPluginService } from './wordpress-plugin.service.ts';
