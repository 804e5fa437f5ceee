export { listExpiredBots } from './access-tokens.repository.ts';
export { accessTokenRoutes } from './access-tokens.routes.ts';
export { createAccessTokenService, createTokenRevoker } from './access-tokens.service.ts';
export { findActiveUser, isActiveUser } from './active-user.ts';
export { createLicenseChangeLimit, type LicenseChangeLimit } from './license-change-limit.ts';
export { createTokenAuthentication } from './token-authentication.ts';
