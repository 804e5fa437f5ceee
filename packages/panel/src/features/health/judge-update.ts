import type { TASK_STATUSES } from '@steward/contract';

/** What a site responded about an item: only these fields decide. Core has no slug. */
export type ItemResult = {
  slug?: string | null;
  success?: boolean;
  /** The site refused the item and changed nothing. */
  code?: string | null;
  error?: string | null;
  verified?: boolean;
};

/** All evidence about an update of one site: its response, and what the panel observed afterwards. */
export type UpdateEvidence = {
  status: (typeof TASK_STATUSES)[number];
  /** The code of the task: the reason of an unverified result, or of unverified items. */
  code: string | null;
  is_finished: boolean;
  /** The observation after the call, or a repeated check, found the site worse than before. */
  works_worse: boolean;
  /** The items of the response that failed or were not verified. */
  failures: ItemResult[];
  /** The items that are troubled according to the real requests of the site. */
  troubled_items: { type: string; slug: string }[];
};

/** The judgement of one item and version on one site. Each new evidence can change it. */
export type ItemJudgement<Item> = {
  item: Item;
  /** `failed`: the site had started to change the item. `refused`: it changed nothing. */
  state: 'verified' | 'unverified' | 'failed' | 'refused' | 'troubled';
  /** Whether the item may have caused the trouble of its site. */
  isSuspect: boolean;
};

/** For a trouble that a later check found: the stored result of the task does not mention it. */
export const LATER_TROUBLE =
  'A check after the update found that the site works worse than before.';

/** Pages could not be checked, and nothing shows a problem: neither trouble nor proof. `IS_UNCHECKED` in rollouts is its twin. */
const isUnchecked = ({ code }: Pick<UpdateEvidence, 'code'>) => code === 'pages_not_checked';

/** `REFUSED_SLUGS` in rollouts is the same rule in SQL. */
export const isRefused = (item: ItemResult) => item.success === false && 'code' in item;
/** The item failed after the site had started to change it. */
const isBroken = (item: ItemResult) => item.success === false && !('code' in item);

/**
 * A site is troubled if an item failed after the site had started to change it, if the effect of the task is not known, if
 * a page differs from before, if a check after the update found the site worse than before, or if its real requests fail
 * because of the update. Pages that could not be checked are no trouble. `IS_TROUBLED` in rollouts is the same rule in SQL,
 * for counts.
 */
export function isTroubled(evidence: UpdateEvidence): boolean {
  const { status, code, is_finished, works_worse, failures, troubled_items } = evidence;
  if (!is_finished) return false;
  if (works_worse || troubled_items.length > 0 || status === 'unknown') return true;
  if (code === 'pages_differ') return true;
  if (status === 'unverified') return !isUnchecked(evidence);
  return (status === 'partial' || status === 'failed') && failures.some(isBroken);
}

/**
 * Judges each item of an update. Of a troubled site, the items that failed, were not verified or cause errors on real requests
 * are suspects; if there are none, or if the site works worse than before, all items that the site tried. An item whose pages
 * could not be checked is a suspect only in that last case.
 */
export function judgeItems<Item extends { slug: string }>(
  evidence: Pick<UpdateEvidence, 'code' | 'works_worse' | 'failures' | 'troubled_items'>,
  items: Item[],
): ItemJudgement<Item>[] {
  const { works_worse, failures, troubled_items } = evidence;
  const suspectStates = isUnchecked(evidence)
    ? SUSPECT_STATES.filter((state) => state !== 'unverified')
    : SUSPECT_STATES;
  const isAnyTried = works_worse || (failures.every(isRefused) && troubled_items.length === 0);
  return items.map((item) => {
    const failure = failures.find(({ slug }) => (slug ?? 'core') === item.slug);
    const isTroubledItem = troubled_items.some(({ slug }) => slug === item.slug);
    const own = failure && stateOf(failure);
    // Errors on real requests say more than pages that could not be checked.
    const isInstalled = own === undefined || own === 'unverified';
    const state = isTroubledItem && isInstalled ? 'troubled' : (own ?? 'verified');
    const isSuspect = isAnyTried ? state !== 'refused' : suspectStates.includes(state);
    return { item, state, isSuspect };
  });
}

const SUSPECT_STATES: ItemJudgement<never>['state'][] = ['failed', 'unverified', 'troubled'];

function stateOf(failure: ItemResult): ItemJudgement<never>['state'] {
  if (isRefused(failure)) return 'refused';
  return isBroken(failure) ? 'failed' : 'unverified';
}

/** One error of the items that may have caused the trouble: the first in alphabetical order, so always the same. */
export function findError(failures: ItemResult[]): string | null {
  const errors = failures.filter((item) => !isRefused(item)).flatMap(({ error }) => error ?? []);
  return errors.sort()[0] ?? null;
}
