import {
  isFatal,
  isLoaded,
  type OutsideCheckRequest,
  type OutsidePage,
  type PageCheck,
  type PageDifference,
  type SignalObservation,
  type Verdict,
} from '@steward/contract';

/** The pages that the panel checks for a site that cannot check itself: two always, and those that the site named. */
export type ObservedPages = { home: SignalObservation; endpoint: SignalObservation } & Partial<
  Record<OutsidePage, SignalObservation>
>;
type PageName = keyof ObservedPages;

const PAGE_NAMES: Record<PageName, string> = {
  home: 'the home page',
  endpoint: 'the endpoint of the Steward plugin',
  post: 'the newest post',
  login: 'the login page',
};
const NAMES = Object.keys(PAGE_NAMES) as PageName[];
const REQUIRED: PageName[] = ['home', 'endpoint'];

/**
 * `broken`: a page that was healthy fails two checks in a row. `healthy`: every page responds as before the call.
 * `check_again`: the only check found a page that is broken or differs. Otherwise `unknown`.
 */
export function judgePages(
  before: ObservedPages,
  checks: readonly [ObservedPages, ...ObservedPages[]],
): Verdict | 'check_again' {
  // A login page or a firewall page proves nothing about the site behind it.
  if (!wasHealthy(before.home)) return 'unknown';
  const last = checks.at(-1) ?? checks[0];
  const pages = listComparable(before);
  const isSame = (page: PageName) => isAsBefore(last[page], before[page]);
  if ([...REQUIRED, ...pages].every(isSame)) return 'healthy';
  if (checks.length === 1) {
    const isWorse = (page: PageName) => findDifference(page, before, last) !== null;
    return NAMES.some((page) => isBroken(last[page])) || pages.some(isWorse)
      ? 'check_again'
      : 'unknown';
  }
  const isBrokenEachTime = (page: PageName) => checks.every((check) => isBroken(check[page]));
  return pages.some(isBrokenEachTime) ? 'broken' : 'unknown';
}

/** How far the panel has checked the pages. Only a difference that each check has found counts. */
export function describePageCheck(
  before: ObservedPages,
  checks: readonly [ObservedPages, ...ObservedPages[]],
  { pages_planned = 0, reason = CANNOT_OPEN_ITSELF }: OutsideCheckRequest,
): PageCheck {
  const last = checks.at(-1) ?? checks[0];
  const pages = wasHealthy(before.home) ? listComparable(before) : [];
  // The endpoint responds with 401 to a request without a key, which is no login page then.
  const compared = pages.filter(
    (page) => hasResponse(last[page]) || isAsBefore(last[page], before[page]),
  );
  const differences = compared.flatMap((page) => {
    const found = checks.map((check) => findDifference(page, before, check));
    const [difference] = found.slice(-1);
    return difference && !found.includes(null) ? [difference] : [];
  });
  const isNoneCompared = compared.length === 0;
  return {
    pages_compared: compared.length,
    // The panel sees fewer pages than the site. A site that plans no more than the panel saw does not know its plan.
    pages_planned: pages_planned > compared.length ? pages_planned : null,
    reason: isNoneCompared ? `${reason}, and Steward could not load them either` : reason,
    ...(differences.length > 0 && { differences }),
  };
}

const CANNOT_OPEN_ITSELF = 'the site cannot open its own pages';

/** Pages that were healthy before the call. A page that the site named must also have been a page, not a redirect. */
function listComparable(before: ObservedPages): PageName[] {
  return NAMES.filter((page) => {
    const observed = before[page];
    return page === 'endpoint' ? isHealthyPage(observed) : wasHealthy(observed);
  });
}

function findDifference(
  page: PageName,
  before: ObservedPages,
  after: ObservedPages,
): PageDifference | null {
  const [observedBefore, observed] = [before[page], after[page]];
  if (!hasResponse(observed) || isAsBefore(observed, observedBefore)) return null;
  const named = { page: PAGE_NAMES[page] };
  if (observed.has_fatal_error) return { ...named, kind: 'error' };
  if (observed.http_status !== observedBefore?.http_status)
    return { ...named, kind: 'status', detail: String(observed.http_status) };
  return { ...named, kind: 'incomplete' };
}

/** Whether the site itself responded: a firewall, a login or maintenance says nothing about a page. */
function hasResponse(page: SignalObservation | undefined): page is SignalObservation {
  return page !== undefined && isLoaded(page) && page.obstacle === null;
}

const isBroken = (page: SignalObservation | undefined) =>
  page !== undefined && isLoaded(page) && isFatal(page);

export const isHealthyPage = (page: SignalObservation | undefined): page is SignalObservation =>
  page !== undefined && isLoaded(page) && !isFatal(page);

/** Whether the page itself was loaded before, and no redirect, error or login in its place. */
export const wasHealthy = (page: SignalObservation | undefined): page is SignalObservation =>
  isHealthyPage(page) && (page.http_status ?? 0) < 300;

function isAsBefore(
  after: SignalObservation | undefined,
  before: SignalObservation | undefined,
): boolean {
  if (!isHealthyPage(after) || !isHealthyPage(before)) return false;
  return after.http_status === before.http_status && (after.is_complete || !before.is_complete);
}
