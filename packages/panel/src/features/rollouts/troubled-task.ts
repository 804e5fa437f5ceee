import type { RolloutItem } from '@steward/contract';
import type { TaskStatus } from '../runs/index.ts';

/** What a site responded about an item: only these fields decide. Core has no slug. */
export type ItemResult = {
  slug?: string | null;
  success?: boolean;
  /** The site refused the item and changed nothing. */
  code?: string | null;
  error?: string | null;
  verified?: boolean;
};

/** The facts about the last task of a site that decide whether the site is troubled. */
export type JudgedTask = {
  status: TaskStatus;
  is_finished: boolean;
  /** A check after the update found the site worse than before. */
  works_worse: boolean;
  /** The items of the response that failed or were not verified. */
  failures: ItemResult[];
};

/** For a trouble that a later check found: the stored result of the task does not mention it. */
export const LATER_TROUBLE =
  'A check after the update found that the site works worse than before.';

/** `REFUSED_SLUGS` is the same rule in SQL. */
export const isRefused = (item: ItemResult) => item.success === false && 'code' in item;
/** The item failed after the site had started to change it. */
const isBroken = (item: ItemResult) => item.success === false && !('code' in item);
const slugOf = ({ slug }: ItemResult) => slug ?? 'core';

/**
 * A site is troubled if an item failed after the site had started to change it, if the effect of the task is not known, or
 * if a check after the update found the site worse than before. `IS_TROUBLED` is the same rule in SQL, for counts.
 */
export function isTroubled({ status, is_finished, works_worse, failures }: JudgedTask): boolean {
  if (!is_finished) return false;
  if (works_worse || status === 'unverified' || status === 'unknown') return true;
  return (status === 'partial' || status === 'failed') && failures.some(isBroken);
}

/**
 * Returns the items that may have caused the trouble. Every item that the site tried may be the cause if none failed, or
 * if the site works worse than before.
 */
export function findSuspects(
  { works_worse, failures }: Pick<JudgedTask, 'works_worse' | 'failures'>,
  items: RolloutItem[],
): RolloutItem[] {
  const failed = failures.filter((item) => isBroken(item) || item.verified === false).map(slugOf);
  const refused = failures.filter(isRefused).map(slugOf);
  return failed.length === 0 || works_worse
    ? items.filter(({ slug }) => !refused.includes(slug))
    : items.filter(({ slug }) => failed.includes(slug));
}

/** One error of the items that may have caused the trouble: the first in alphabetical order, so always the same. */
export function findError(failures: ItemResult[]): string | null {
  const failed = failures.filter((item) => isBroken(item) || item.verified === false);
  return failed.flatMap(({ error }) => error ?? []).sort()[0] ?? null;
}
