export { wordpressPluginRoutes } from './wordpress-plugin.routes.ts';
export { createWordPressPluginService } from './wordpress-plugin.service.ts';
