import type { LeftOutSites, UpdateSummary } from '@steward/contract';
import { updateMessages } from '../../../messages/update.ts';

/** Why an update cannot start. Null if it can. */
export function describeBlock({ sites, left_out }: UpdateSummary): string | null {
  if (sites > 0) return null;
  const [only, ...others] = left_out;
  if (!only) return updateMessages.nothingToUpdate;
  if (others.length === 0) return updateMessages.blocked(reasonOf(only));
  return left_out.map(describeLeftOut).join(' ');
}

/** "2 sites: Held: only patch versions are allowed. Rule: all plugins on all sites." */
export const describeLeftOut = (entry: LeftOutSites): string =>
  updateMessages.leftOut(entry.sites, reasonOf(entry));

function reasonOf({ reason, hold }: LeftOutSites): string {
  if (reason !== 'held_version') return updateMessages.skipReasons[reason];
  return hold?.explanation ?? updateMessages.heldByRule;
}
