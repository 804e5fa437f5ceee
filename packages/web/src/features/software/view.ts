import type { SoftwareType } from '@steward/contract';
import type { SoftwareView } from '../../lib/software-api.ts';
import {
  SOFTWARE_FILTERS,
  SOFTWARE_SORTS,
  SOFTWARE_TYPES,
  SORT_ORDERS,
} from '../../lib/software-types.ts';

type Params = { [name in keyof SoftwareView]?: string | undefined };

const pick = <Value extends string>(values: readonly Value[], text: string | undefined) =>
  values.find((value) => value === text);

/** Reads the tab, the filters and the sort order from the URL. Ignores unknown values. */
export function readView(params: Params): SoftwareView & { type: SoftwareType } {
  const type = pick(SOFTWARE_TYPES, params.type) ?? 'plugin';
  // There is only one core, so its tab has no filters and no sort order.
  if (type === 'core') return { type };
  const filter = pick(SOFTWARE_FILTERS, params.filter);
  const sort = pick(SOFTWARE_SORTS, params.sort);
  const direction = pick(SORT_ORDERS, params.direction);
  return {
    type,
    ...(params.search && { search: params.search }),
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(direction && { direction }),
  };
}
