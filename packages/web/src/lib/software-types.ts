import type { SoftwareFilter, SoftwareSort, SoftwareType, SortOrder } from '@steward/contract';

/**
 * The allowed values of the query parameters of the software pages. They are copied from the contract, because an
 * import of its values adds all schemas (80 kB) to the pages. The type `Record` makes sure that no value is missing.
 */

const listKeys = <Key extends string>(keys: Record<Key, true>) => Object.keys(keys) as Key[];

export const SOFTWARE_TYPES = listKeys<SoftwareType>({ plugin: true, theme: true, core: true });
export const SOFTWARE_FILTERS = listKeys<SoftwareFilter>({
  outdated: true,
  inactive: true,
  single_site: true,
});
export const SOFTWARE_SORTS = listKeys<SoftwareSort>({ name: true, sites: true, outdated: true });
export const SORT_ORDERS = listKeys<SortOrder>({ asc: true, desc: true });
