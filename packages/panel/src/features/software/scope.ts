import type { CurrentUser } from '../site-access/index.ts';

/** The value of `software_counts.scope` for all sites. */
export const ALL_SITES = 0;

/** The value of `software_counts.scope` for the sites that the user may see. */
export const scopeOf = (user: CurrentUser): number => (user.role === 'owner' ? ALL_SITES : user.id);
