import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkUpdateResponse, RunKind, Verdict } from '@steward/contract';
import type {
  PageCheck,
  PluginActionBody,
  SiteClient,
  SiteOutcome,
  SiteResponse,
  SiteTarget,
} from '../../../site-client/index.ts';
import type { TaskResult } from '../outcome/task-outcome.ts';

type Outcome = SiteOutcome<SiteResponse>;
type Dependencies = {
  siteClient: Pick<SiteClient, 'checkPage' | 'sendVerdict' | 'sync'>;
  signal: AbortSignal;
  /** In seconds. */
  delays: { recheck: number; verdict: number };
};

const VERDICT_ATTEMPTS = 5;

/** True if the site has not acted because it cannot load its own pages: the panel must do the health check. */
export function needsHealthCheck(outcome: Outcome): boolean {
  return outcome.kind === 'refused' && outcome.code === 'outside_look_needed';
}

/**
 * Checks the pages of the site before and after the call. Rolls back if the site is broken. Does not
 * roll back if the panel cannot reach the site, because a network error proves nothing about the update.
 */
export async function callWithHealthCheck(
  target: SiteTarget,
  { kind, send }: { kind: RunKind; send: () => Promise<Outcome | null> },
  deps: Dependencies,
): Promise<Outcome | null> {
  const before = await checkPages(target, {}, deps);
  const outcome = await send();
  if (outcome?.kind !== 'answered' || !('awaiting_verdict' in outcome.body)) return outcome;
  const { awaiting_verdict: ticketedCall, ...body } = outcome.body;
  if (!ticketedCall) return outcome;
  const verdict = await compareHealth(before, { target, ticket: ticketedCall.ticket }, deps);
  const isRolledBack = await deliverVerdict(target, { call: ticketedCall.call, verdict }, deps);
  if (verdict === 'healthy') return { ...outcome, body: markAsVerified(body) };
  if (verdict === 'unknown') return { ...outcome, body };
  return 'results' in body
    ? { ...outcome, body: markAsFailed(body, kind, isRolledBack) }
    : {
        kind: 'refused',
        httpStatus: 500,
        code: 'action_failed',
        error: messageFor(kind, isRolledBack),
      };
}

/** Reconciling proves only the version, so also check that the home page loads. */
export async function confirmByHomePage(
  result: TaskResult,
  target: SiteTarget,
  { siteClient, signal }: Dependencies,
): Promise<TaskResult> {
  if (result.status !== 'succeeded') return result;
  if (isHealthyPage(await siteClient.checkPage(target, { signal }))) return result;
  return { ...result, status: 'unverified', notes: [HOME_PAGE_NOT_CONFIRMED] };
}

type TicketedTarget = { target: SiteTarget; ticket: string };
type PageChecks = [home: PageCheck, endpoint: PageCheck];

function checkPages(
  target: SiteTarget,
  ticket: { ticket?: string },
  { siteClient, signal }: Dependencies,
): Promise<PageChecks> {
  return Promise.all([
    siteClient.checkPage(target, { page: 'home', signal, ...ticket }),
    siteClient.checkPage(target, { page: 'endpoint', signal, ...ticket }),
  ]);
}

/**
 * `broken`: a page that was healthy fails two checks in a row. `healthy`: every page responds as before the
 * call. Otherwise `unknown`.
 */
async function compareHealth(
  before: PageChecks,
  { target, ticket }: TicketedTarget,
  deps: Dependencies,
): Promise<Verdict> {
  const [homeBefore] = before;
  // A login page or a firewall page proves nothing about the site behind it.
  if (homeBefore.kind === 'unreachable' || homeBefore.httpStatus >= 300) return 'unknown';
  const isHealthy = (after: PageChecks) =>
    after.every((check, page) => isAsBefore(check, before[page]));
  const first = await checkPages(target, { ticket }, deps);
  if (isHealthy(first)) return 'healthy';
  if (!first.some(isBroken)) return 'unknown';
  // A transient error must not roll back an update.
  await sleep(deps.delays.recheck * 1000);
  const second = await checkPages(target, { ticket }, deps);
  if (isHealthy(second)) return 'healthy';
  const wasHealthy = (page: number) => before[page] && isHealthyPage(before[page]);
  const isBrokenTwice = second.some(
    (check, page) => isBroken(check) && first[page] && isBroken(first[page]) && wasHealthy(page),
  );
  return isBrokenTwice ? 'broken' : 'unknown';
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

const isBroken = (check: PageCheck) => check.kind === 'loaded' && check.isBroken;
const isHealthyPage = (check: PageCheck) => check.kind === 'loaded' && !check.isBroken;

function isAsBefore(after: PageCheck, before: PageCheck | undefined): boolean {
  if (after.kind === 'unreachable' || !before || before.kind === 'unreachable' || before.isBroken)
    return false;
  const { httpStatus, isComplete } = before;
  return !after.isBroken && after.httpStatus === httpStatus && (after.isComplete || !isComplete);
}

/** Removes `verified: false`, which only unverified results have. */
function markAsVerified(body: BulkUpdateResponse | PluginActionBody) {
  if (!('results' in body)) {
    const { verified, ...verifiedBody } = body;
    return verifiedBody;
  }
  const toVerifiedItem = <Item extends { verified?: boolean }>({ verified, ...item }: Item) => item;
  const { plugins, themes, core } = body.results;
  const results = {
    ...body.results,
    plugins: plugins.map(toVerifiedItem),
    themes: themes.map(toVerifiedItem),
    core: core && toVerifiedItem(core),
  };
  return { ...body, results };
}

/** Marks the unverified items as failed: one of them broke the site. Core stays unverified, because it cannot be rolled back. */
function markAsFailed(
  body: BulkUpdateResponse,
  kind: RunKind,
  isRolledBack: boolean,
): BulkUpdateResponse {
  const error = messageFor(kind, isRolledBack);
  const versionAfterRollback = ({ old_version, new_version }: Item) =>
    kind === 'install' ? '' : (old_version ?? new_version);
  type Item = BulkUpdateResponse['results']['plugins'][number];
  const toFailedItem = ({ verified, ...item }: Item): Item =>
    verified === false
      ? {
          ...item,
          success: false,
          error,
          ...(isRolledBack && { new_version: versionAfterRollback(item), rolled_back: true }),
        }
      : item;
  const { plugins, themes } = body.results;
  const errorsOf = (type: 'plugin' | 'theme', items: Item[]) =>
    items
      .filter(({ verified }) => verified === false)
      .map(({ slug }) => ({ type, slug, error }) as const);
  return {
    success: false,
    results: {
      ...body.results,
      plugins: plugins.map(toFailedItem),
      themes: themes.map(toFailedItem),
    },
    errors: [...body.errors, ...errorsOf('plugin', plugins), ...errorsOf('theme', themes)],
  };
}

function messageFor(kind: RunKind, isRolledBack: boolean): string {
  if (kind === 'install') {
    return isRolledBack
      ? 'The site showed an error after the installation, so Steward removed the new files.'
      : 'The site showed an error after the installation, and Steward could not remove the new files: they are left on the site. Remove them there.';
  }
  if (kind === 'restore') {
    return isRolledBack
      ? 'The site showed an error with the restored version, so Steward put the newer version back.'
      : 'The site showed an error with the restored version, and Steward could not put the newer version back. Check the site.';
  }
  return isRolledBack
    ? 'The site showed an error after the update, so Steward rolled back to the old version.'
    : 'The site showed an error after the update, and the rollback failed. Restore the old version on the site.';
}

const HOME_PAGE_NOT_CONFIRMED =
  'The site reports the change, but its home page did not load or shows an error. Check the site.';
