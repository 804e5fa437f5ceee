import type { CurrentUser } from './visible-sites.ts';

/** The scope of stored counts (`software_counts`, `tag_counts`) that counts all sites. */
export const ALL_SITES = 0;

/** The scope of stored counts for the sites that the user may see. */
export const scopeOf = (user: CurrentUser): number => (user.role === 'owner' ? ALL_SITES : user.id);
