import { setTimeout as sleep } from 'node:timers/promises';
import { isFatal, isLoaded, type SignalObservation, type Verdict } from '@steward/contract';
import type { SiteClient, SiteTarget } from '../../site-client/index.ts';

type Dependencies = {
  siteClient: Pick<SiteClient, 'observePage' | 'sendVerdict' | 'sync'>;
  signal: AbortSignal;
  /** In seconds. */
  delays: { recheck: number; verdict: number };
};

/** The two pages that the panel checks for a site that cannot check itself. */
export type ObservedPages = { home: SignalObservation; endpoint: SignalObservation };

const PAGES = ['home', 'endpoint'] as const;
const VERDICT_ATTEMPTS = 5;

export async function observePages(
  target: SiteTarget,
  { siteClient, signal }: Pick<Dependencies, 'siteClient' | 'signal'>,
  ticket: string | null = null,
): Promise<ObservedPages> {
  const [home, endpoint] = await Promise.all([
    siteClient.observePage(target, { page: 'home', ticket, signal }),
    siteClient.observePage(target, { page: 'endpoint', ticket, signal }),
  ]);
  return { home, endpoint };
}

/** The pending change of a site: the site undoes it if the verdict is `broken`, or if no verdict arrives in time. */
export type PendingChange = { call: string; ticket: string };

/**
 * Checks a site that cannot check itself, and sends it the verdict. Does not roll back if the panel cannot reach the site,
 * because a network error proves nothing about the update.
 */
export async function checkFromOutside(
  target: SiteTarget,
  before: ObservedPages,
  { call, ticket }: PendingChange,
  deps: Dependencies,
): Promise<{ verdict: Verdict; isRolledBack: boolean }> {
  const first = await observePages(target, deps, ticket);
  let verdict = judgePages(before, [first]);
  if (verdict === 'check_again') {
    // A transient error must not roll back an update.
    await sleep(deps.delays.recheck * 1000);
    verdict = judgePages(before, [first, await observePages(target, deps, ticket)]);
  }
  return { verdict, isRolledBack: await deliverVerdict(target, { call, verdict }, deps) };
}

/**
 * `broken`: a page that was healthy fails two checks in a row. `healthy`: every page responds as before the call. Otherwise
 * `unknown`.
 */
export function judgePages(before: ObservedPages, checks: [ObservedPages]): Verdict | 'check_again';
export function judgePages(before: ObservedPages, checks: [ObservedPages, ObservedPages]): Verdict;
export function judgePages(
  before: ObservedPages,
  [first, second]: [ObservedPages, ObservedPages?],
): Verdict | 'check_again' {
  // A login page or a firewall page proves nothing about the site behind it.
  if (!isLoaded(before.home) || (before.home.http_status ?? 0) >= 300) return 'unknown';
  const last = second ?? first;
  if (PAGES.every((page) => isAsBefore(last[page], before[page]))) return 'healthy';
  if (!second) return PAGES.some((page) => isBroken(first[page])) ? 'check_again' : 'unknown';
  const isBrokenTwice = PAGES.some(
    (page) => isHealthyPage(before[page]) && isBroken(first[page]) && isBroken(second[page]),
  );
  return isBrokenTwice ? 'broken' : 'unknown';
}

const isBroken = (page: SignalObservation) => isLoaded(page) && isFatal(page);
export const isHealthyPage = (page: SignalObservation) => isLoaded(page) && !isFatal(page);

function isAsBefore(after: SignalObservation, before: SignalObservation): boolean {
  if (!isHealthyPage(after) || !isHealthyPage(before)) return false;
  return after.http_status === before.http_status && (after.is_complete || !before.is_complete);
}

/** Returns whether the site rolled back. Retries for a broken site, whose response may fail at first. */
async function deliverVerdict(
  target: SiteTarget,
  message: { call: string; verdict: Verdict },
  { siteClient, signal, delays }: Dependencies,
): Promise<boolean> {
  const attempts = message.verdict === 'broken' ? VERDICT_ATTEMPTS : 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const outcome = await siteClient.sendVerdict(target, message, { signal });
    if (outcome.kind === 'answered') {
      // The last report lists the versions from before the rollback.
      if (outcome.body.restored) await siteClient.sync(target, { signal });
      return outcome.body.restored;
    }
    if (attempt < attempts) await sleep(delays.verdict * 1000);
  }
  return false;
}
