import type { ErrorCode } from '@steward/contract';

/** The error codes of every route that checks the license of a connected site, for the API description. */
export const SITE_CHECK_CODES = [
  'missing_license_key',
  'missing_site_url',
  'invalid_site_url',
  'invalid_license_key',
  'invalid_activation_token',
  'license_expired',
  'license_suspended',
  'license_revoked',
  'address_not_proven',
  'site_not_activated',
] as const satisfies readonly ErrorCode[];
