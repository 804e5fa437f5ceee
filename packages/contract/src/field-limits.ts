/** What a field may hold, for the schemas and for the screens, which do without the schemas. */

export const SITE_LIMIT_MAX = 1_000_000;
export const PASSWORD_MIN_LENGTH = 12;
export const PASSWORD_MAX_LENGTH = 128;
