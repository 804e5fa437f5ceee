export { alarmRoutes } from './alarm.routes.ts';
export { assertMayChangeAccess } from './assert-may-change-access.ts';
export { inventoryIfWithinLimit } from './bounded-inventory.ts';
export { type CallLogService, createCallLogService } from './call-log.service.ts';
export { checkedPagesRoutes } from './checked-pages.routes.ts';
export { type CheckedPagesService, createCheckedPagesService } from './checked-pages.service.ts';
export { decideEndpoint, type EndpointRecord } from './decide-endpoint.ts';
export { endpointApprovalRoutes } from './endpoint-approval.routes.ts';
export { createEndpointApprovalService } from './endpoint-approval.service.ts';
export { defaultEndpointOf, parseStandardEndpoint } from './endpoint-url.ts';
export { deleteOldReports } from './old-reports.ts';
export { toStoredPreflight } from './preflight-report.ts';
export { siteStatusSql, whereUpdatable } from './search/index.ts';
export { createSiteListService, type SiteListService } from './site-list.service.ts';
export { setSiteTexts } from './site-texts.ts';
export {
  createSiteUseService,
  type SiteCredential,
  type SiteUseService,
} from './site-use.service.ts';
export { keyKindOfSite } from './site-view.ts';
export { lockSitesById } from './sites.repository.ts';
export { siteRoutes } from './sites.routes.ts';
export { createSiteService, type SiteService } from './sites.service.ts';
export { hashInventory, keepKnownFields } from './stored-inventory.ts';
export { lockSites } from './tags.repository.ts';
export { tagRoutes } from './tags.routes.ts';
export { createTagService } from './tags.service.ts';
export { webLoginRoutes } from './web-login.routes.ts';
export { createWebLoginService, type WebLoginService } from './web-login.service.ts';
