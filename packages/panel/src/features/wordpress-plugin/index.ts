export { readPluginVersion } from './plugin-zip.ts';
export { wordpressPluginRoutes } from './wordpress-plugin.routes.ts';
export { assertReachable, createWordPressPluginService } from './wordpress-plugin.service.ts';
