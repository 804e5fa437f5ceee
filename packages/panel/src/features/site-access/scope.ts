import type { CurrentUser } from './visible-sites.ts';

/** The scope of all sites, in `listed_sites`, `software_counts` and `tag_counts`. */
export const ALL_SITES = 0;

/** The scope of the sites that the user may see. */
export const scopeOf = (user: CurrentUser): number => (user.role === 'owner' ? ALL_SITES : user.id);
