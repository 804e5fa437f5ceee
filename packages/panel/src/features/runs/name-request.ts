import type { Database } from '../../platform/database/handles.ts';
import type { CurrentUser } from '../site-access/index.ts';
import { type ItemKey, listItemNames } from './item-names.repository.ts';
import type { RunRequest } from './tables.ts';

/** Adds names for the audit log, which must name the items of a run also after they are gone from all sites. */
export async function nameRequest(db: Database, user: CurrentUser, request: RunRequest) {
  const { plugin, items } = request;
  const action: ItemKey[] = plugin === undefined ? [] : [{ type: 'plugin', slug: plugin }];
  const found = await listItemNames(db, user, [...action, ...(items ?? [])]);
  const nameOf = ({ type, slug }: ItemKey) => {
    const name = found.find((item) => item.type === type && item.slug === slug)?.name;
    return name === undefined ? {} : { name };
  };
  const [named] = action.map(nameOf);
  return {
    ...request,
    ...(named?.name !== undefined && { plugin_name: named.name }),
    ...(items && { items: items.map((item) => ({ ...nameOf(item), ...item })) }),
  };
}
