import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkUpdateResponse, Verdict } from '@steward/contract';
import type {
  PluginActionAnswer,
  SiteAnswer,
  SiteClient,
  SiteLook,
  SiteOutcome,
  SiteTarget,
} from '../../../site-client/index.ts';
import type { TaskResult } from '../outcome/task-outcome.ts';

type Outcome = SiteOutcome<SiteAnswer>;
type Dependencies = {
  siteClient: Pick<SiteClient, 'look' | 'verdict' | 'sync'>;
  signal: AbortSignal;
  pauses: { look: number; verdict: number };
};

const TELL_ATTEMPTS = 5;

/** The site has done nothing yet: it cannot open its own pages, and wants the panel to look. */
export function wantsOutsideLook(outcome: Outcome): boolean {
  return outcome.kind === 'refused' && outcome.code === 'outside_look_needed';
}

/**
 * Looks at the site, has it do what was asked, and looks again. What has broken it is put back. A site
 * that the panel cannot see is left as it is, so trouble in the network undoes nothing.
 */
export async function callWithLooks(
  target: SiteTarget,
  call: () => Promise<Outcome>,
  deps: Dependencies,
): Promise<Outcome> {
  const before = await lookAtBoth(target, {}, deps);
  const outcome = await call();
  if (outcome.kind !== 'answered' || !('awaiting_verdict' in outcome.body)) return outcome;
  const { awaiting_verdict: awaiting, ...body } = outcome.body;
  if (!awaiting) return outcome;
  const verdict = await judge(before, { target, ticket: awaiting.ticket }, deps);
  const isRestored = await tell(target, { call: awaiting.call, verdict }, deps);
  if (verdict === 'healthy') return { ...outcome, body: withoutDoubt(body) };
  if (verdict === 'unknown') return { ...outcome, body };
  return 'results' in body
    ? { ...outcome, body: withFailures(body, isRestored) }
    : { kind: 'refused', httpStatus: 500, code: 'action_failed', error: sentence(isRestored) };
}

/** An update that only its version speaks for: a look at the home page has to speak for it, too. */
export async function confirmed(
  result: TaskResult,
  target: SiteTarget,
  { siteClient, signal }: Dependencies,
): Promise<TaskResult> {
  if (result.status !== 'succeeded') return result;
  if (isGood(await siteClient.look(target, { signal }))) return result;
  return { ...result, status: 'unverified', notes: [NOT_CONFIRMED] };
}

type Looked = { target: SiteTarget; ticket: string };
type Looks = [home: SiteLook, endpoint: SiteLook];

function lookAtBoth(
  target: SiteTarget,
  ticket: { ticket?: string },
  { siteClient, signal }: Dependencies,
): Promise<Looks> {
  return Promise.all([
    siteClient.look(target, { page: 'home', signal, ...ticket }),
    siteClient.look(target, { page: 'endpoint', signal, ...ticket }),
  ]);
}

/** Broken is what shows an error twice; healthy, what is as it was before. All else is neither. */
async function judge(
  before: Looks,
  { target, ticket }: Looked,
  deps: Dependencies,
): Promise<Verdict> {
  const [homeBefore] = before;
  // A login page, or the page of a firewall, says nothing about what is behind it.
  if (homeBefore.kind === 'unseen' || homeBefore.httpStatus >= 300) return 'unknown';
  const isHealthy = (now: Looks) => now.every((look, page) => isAsBefore(look, before[page]));
  const first = await lookAtBoth(target, { ticket }, deps);
  if (isHealthy(first)) return 'healthy';
  if (!first.some(isBroken)) return 'unknown';
  // A fault that passes must not undo an update.
  await sleep(deps.pauses.look * 1000);
  const second = await lookAtBoth(target, { ticket }, deps);
  if (isHealthy(second)) return 'healthy';
  const wasGood = (page: number) => before[page] && isGood(before[page]);
  const isBrokenTwice = second.some(
    (look, page) => isBroken(look) && first[page] && isBroken(first[page]) && wasGood(page),
  );
  return isBrokenTwice ? 'broken' : 'unknown';
}

/** Whether the old versions are back. A site that is broken gets several chances to hear of it. */
async function tell(
  target: SiteTarget,
  order: { call: string; verdict: Verdict },
  { siteClient, signal, pauses }: Dependencies,
): Promise<boolean> {
  const attempts = order.verdict === 'broken' ? TELL_ATTEMPTS : 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const told = await siteClient.verdict(target, order, { signal });
    if (told.kind === 'answered') {
      // What the site has reported was true before it was put back.
      if (told.body.restored) await siteClient.sync(target, { signal });
      return told.body.restored;
    }
    if (attempt < attempts) await sleep(pauses.verdict * 1000);
  }
  return false;
}

const isBroken = (look: SiteLook) => look.kind === 'seen' && look.isBroken;
const isGood = (look: SiteLook) => look.kind === 'seen' && !look.isBroken;

function isAsBefore(now: SiteLook, before: SiteLook | undefined): boolean {
  if (now.kind === 'unseen' || !before || before.kind === 'unseen' || before.isBroken) return false;
  const { httpStatus, isWhole } = before;
  return !now.isBroken && now.httpStatus === httpStatus && (now.isWhole || !isWhole);
}

function withoutDoubt(body: BulkUpdateResponse | PluginActionAnswer) {
  if (!('results' in body)) {
    const { verified, ...plain } = body;
    return plain;
  }
  type Doubtful = { verified?: boolean; old_version?: string };
  const plain = <Item extends Doubtful>({ verified, old_version, ...item }: Item) => item;
  const { plugins, themes, core } = body.results;
  const results = {
    plugins: plugins.map(plain),
    themes: themes.map(plain),
    core: core && plain(core),
  };
  return { ...body, results };
}

/** What was not seen working before is what has broken the site. The core cannot be put back. */
function withFailures(body: BulkUpdateResponse, isRestored: boolean): BulkUpdateResponse {
  const error = sentence(isRestored);
  type Item = BulkUpdateResponse['results']['plugins'][number];
  const failed = ({ verified, old_version, ...item }: Item): Item =>
    verified === false
      ? {
          ...item,
          success: false,
          error,
          new_version: isRestored ? (old_version ?? item.new_version) : item.new_version,
        }
      : item;
  const { plugins, themes, core } = body.results;
  const of = (type: 'plugin' | 'theme', items: Item[]) =>
    items
      .filter(({ verified }) => verified === false)
      .map(({ slug }) => ({ type, slug, error }) as const);
  return {
    success: false,
    results: { plugins: plugins.map(failed), themes: themes.map(failed), core },
    errors: [...body.errors, ...of('plugin', plugins), ...of('theme', themes)],
  };
}

const sentence = (isRestored: boolean) =>
  isRestored
    ? 'The new version breaks the site: the panel looked at it from outside and saw an error. The old version was put back.'
    : 'The new version breaks the site: the panel looked at it from outside and saw an error. The old version could not be put back. Restore the site by hand.';

const NOT_CONFIRMED =
  'The site says that it has the new version, but its home page could not be seen, or shows an error.';
