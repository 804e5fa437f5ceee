export { siteAccessRoutes } from './site-access.routes.ts';
export {
  createSiteAccessService,
  type GrantTarget,
  type SiteAccessService,
} from './site-access.service.ts';
export { isVisibleTo, type CurrentUser } from './visible-sites.ts';
