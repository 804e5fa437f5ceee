export { pluginLinkRoutes } from './plugin-link.routes.ts';
export { createPluginProbation, startPluginProbation } from './plugin-probation.ts';
export { pluginUpdateRoutes } from './plugin-updates.routes.ts';
export { createPluginUpdateService } from './plugin-updates.service.ts';
export { findShippedPluginVersion } from './shipped-plugin-version.ts';
export { wordpressPluginRoutes } from './wordpress-plugin.routes.ts';
export { assertPanelReachable, createWordPressPluginService } from './wordpress-plugin.service.ts';
