import type { ScheduleItem } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { type CurrentUser, scopeOf } from '../site-access/index.ts';
import { findSoftware, type ScopedItem } from './chosen-items.repository.ts';
import type { ChosenItem } from './tables.ts';

type Choice = { types: readonly string[]; items: readonly ScheduleItem[] };

/** Whether the schedule updates this item. */
export function isChosen({ types, items }: Choice, { type, slug }: ScheduleItem): boolean {
  if (items.length === 0) return types.includes(type);
  return items.some((item) => item.type === type && item.slug === slug);
}

/** A schedule for all updates of a site. It can also include sites whose plugin cannot update single items. */
export const isForAllUpdates = ({ types, in_rings }: { types: string[]; in_rings: boolean }) =>
  types.length === 3 && !in_rings;

/** Names the requested items. They must be on a site of the user, or chosen before: no site may have them any more. */
export async function nameItems(
  trx: Trx,
  user: CurrentUser,
  requested: ScheduleItem[],
  before: ChosenItem[] = [],
): Promise<ChosenItem[]> {
  const scope = scopeOf(user);
  const found = await findSoftware(
    trx,
    requested.map(({ type, slug }) => ({ type, slug, scope })),
  );
  const known = new Map([...before, ...found].map((item) => [toKey(item), item.name]));
  return [...new Map(requested.map((item) => [toKey(item), item])).values()].map((item) => {
    const { type, slug } = item;
    const name = known.get(toKey(item));
    if (name !== undefined) return { type, slug, name };
    const message = `No site that you may see has ${slug}. Choose other plugins and themes.`;
    throw new AppError('invalid_request', { message });
  });
}

/** `scope`: the sites of the user of the schedule. */
type Schedule = { scope: number; items: ChosenItem[] };

/** Returns a function that marks the items of a schedule that are on no site any more. */
export async function createMissingMarker(db: Database, schedules: Schedule[]) {
  const wanted = schedules.flatMap(({ scope, items }) =>
    items.map(({ type, slug }) => ({ type, slug, scope })),
  );
  const found = new Set((await findSoftware(db, wanted)).map(toScopedKey));
  return ({ scope, items }: Schedule) =>
    items.map((item) => ({ ...item, is_missing: !found.has(toScopedKey({ ...item, scope })) }));
}

const toKey = ({ type, slug }: ScheduleItem) => `${type} ${slug}`;
const toScopedKey = (item: ScopedItem) => `${item.scope} ${toKey(item)}`;
