export { pluginUpdateRoutes } from './plugin-updates.routes.ts';
export { createPluginUpdateService } from './plugin-updates.service.ts';
export { wordpressPluginRoutes } from './wordpress-plugin.routes.ts';
export { createWordPressPluginService } from './wordpress-plugin.service.ts';
