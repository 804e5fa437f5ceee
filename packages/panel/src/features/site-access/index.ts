export { ALL_SITES, scopeOf } from './scope.ts';
export {
  deleteAllGrants,
  deleteGrantsOfClient,
  listUsersOfClients,
  listUsersOfTags,
  type UserOfGrant,
} from './site-access.repository.ts';
export { siteAccessRoutes } from './site-access.routes.ts';
export {
  createSiteAccessService,
  type GrantTarget,
  type SiteAccessService,
} from './site-access.service.ts';
export {
  type CurrentUser,
  isClientVisibleTo,
  isCreatedBy,
  isVisibleTo,
  OPERATOR,
} from './visible-sites.ts';
