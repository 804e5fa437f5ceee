import { setTimeout as sleep } from 'node:timers/promises';
import type { OutsideCheckRequest, PageCheck, Verdict } from '@steward/contract';
import type { SiteClient, SiteTarget } from '../../site-client/index.ts';
import { describePageCheck, judgePages, type ObservedPages, wasHealthy } from './judge-pages.ts';

type Dependencies = {
  siteClient: Pick<SiteClient, 'observePage' | 'sendVerdict' | 'sync'>;
  signal: AbortSignal;
  /** In seconds. */
  delays: { recheck: number; verdict: number };
};

const VERDICT_ATTEMPTS = 5;

type Observing = Pick<Dependencies, 'siteClient' | 'signal'> & {
  /** What the site wrote in its refusal. */
  request: OutsideCheckRequest;
  /** The site accepts a request with it while it is closed to visitors. */
  ticket?: string;
};

/** Loads the pages that the panel checks for a site: two requests at a time, because such a site may have few processes. */
export async function observePages(
  target: SiteTarget,
  { siteClient, signal, request, ticket }: Observing,
): Promise<ObservedPages> {
  const options = { ticket: ticket ?? null, signal };
  const [home, endpoint] = await Promise.all([
    siteClient.observePage(target, { page: 'home', ...options }),
    siteClient.observePage(target, { page: 'endpoint', ...options }),
  ]);
  // The site is closed meanwhile: no time for more pages of a site that does not respond.
  if (!wasHealthy(home)) return { home, endpoint };
  const named = await Promise.all(
    (request.pages ?? []).map(async ({ page, path }) => [
      page,
      await siteClient.observePage(target, { page: { path }, ...options }),
    ]),
  );
  return { home, endpoint, ...Object.fromEntries(named) };
}

/** The pending change of a site: the site undoes it if the verdict is `broken`, or if no verdict arrives in time. */
export type PendingChange = { call: string; ticket: string };

export type OutsideCheck = { verdict: Verdict; isRolledBack: boolean; pageCheck: PageCheck };

/**
 * Checks a site that cannot check itself, and sends it the verdict. Does not roll back if the panel cannot reach the site,
 * because a network error proves nothing about the update.
 */
export async function checkFromOutside(
  target: SiteTarget,
  before: ObservedPages,
  { call, ticket }: PendingChange,
  { request, ...deps }: Dependencies & { request: OutsideCheckRequest },
): Promise<OutsideCheck> {
  const observe = () => observePages(target, { ...deps, request, ticket });
  const checks: [ObservedPages, ...ObservedPages[]] = [await observe()];
  let verdict = judgePages(before, checks);
  if (verdict === 'check_again') {
    // A transient error must neither roll back an update nor count as trouble.
    await sleep(deps.delays.recheck * 1000);
    checks.push(await observe());
    verdict = judgePages(before, checks);
  }
  const decided = verdict === 'check_again' ? 'unknown' : verdict;
  const isRolledBack = await deliverVerdict(target, { call, verdict: decided }, deps);
  return { verdict: decided, isRolledBack, pageCheck: describePageCheck(before, checks, request) };
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
