export { pluginLinkRoutes } from './plugin-link.routes.ts';
export { wordpressPluginRoutes } from './wordpress-plugin.routes.ts';
export { createWordPressPluginService } from './wordpress-plugin.service.ts';
