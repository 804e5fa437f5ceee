import { CORE_SLUG, type RolloutItem } from '@steward/contract';

const NAMED_MAX = 5;

/** "Shop Kit 8.3.0". */
export const describeItem = ({ type, name, slug, version }: RolloutItem): string =>
  `${name ?? (type === 'core' && slug === CORE_SLUG ? 'WordPress' : slug)} ${version}`;

/** "Shop Kit 8.3.0, Blog 2.0 and 3 more". */
export function describeItems(items: RolloutItem[]): string {
  const named = items.slice(0, NAMED_MAX).map(describeItem);
  const others = items.length - named.length;
  if (others > 0) return `${named.join(', ')} and ${others} more`;
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`;
}

const NAME_MAX_LENGTH = 100;

/** The name of a rollout that no user has named. */
export const nameRollout = (items: RolloutItem[]): string =>
  items.map(describeItem).join(', ').slice(0, NAME_MAX_LENGTH);
