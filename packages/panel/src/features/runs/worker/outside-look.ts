import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkUpdateResponse, Verdict } from '@steward/contract';
import type {
  PluginActionAnswer,
  SiteAnswer,
  SiteClient,
  SiteLook,
  SiteOutcome,
  SiteTarget,
} from '../../../lib/site-client/index.ts';
import type { TaskResult } from '../outcome/task-outcome.ts';

type Outcome = SiteOutcome<SiteAnswer>;
type Dependencies = { siteClient: Pick<SiteClient, 'look' | 'verdict'>; signal: AbortSignal };

/** A fault that passes must not undo an update. */
const LOOK_AGAIN_MS = 2000;

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
  const before = await deps.siteClient.look(target, { signal: deps.signal });
  const outcome = await call();
  if (outcome.kind !== 'answered' || !('awaiting_verdict' in outcome.body)) return outcome;
  const { awaiting_verdict: awaiting, ...body } = outcome.body;
  if (!awaiting) return outcome;
  const verdict = await judge(before, { target, ticket: awaiting.ticket }, deps);
  const order = { call: awaiting.call, verdict };
  const told = await deps.siteClient.verdict(target, order, { signal: deps.signal });
  if (verdict === 'healthy') return { ...outcome, body: withoutDoubt(body) };
  if (verdict === 'unknown') return { ...outcome, body };
  const isRestored = told.kind === 'answered' && told.body.restored;
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

/** Broken is what shows an error twice; healthy, what is as it was before. All else is neither. */
async function judge(
  before: SiteLook,
  { target, ticket }: Looked,
  { siteClient, signal }: Dependencies,
): Promise<Verdict> {
  if (!isGood(before)) return 'unknown';
  const look = () =>
    Promise.all([
      siteClient.look(target, { page: 'home', ticket, signal }),
      siteClient.look(target, { page: 'endpoint', ticket, signal }),
    ]);
  const isHealthy = ([home, endpoint]: [SiteLook, SiteLook]) =>
    isAsBefore(home, before) && isGood(endpoint);
  const first = await look();
  if (isHealthy(first)) return 'healthy';
  if (!first.some(isBroken)) return 'unknown';
  await sleep(LOOK_AGAIN_MS);
  const second = await look();
  if (isHealthy(second)) return 'healthy';
  const [home, endpoint] = second.map(isBroken);
  return (home && isBroken(first[0])) || (endpoint && isBroken(first[1])) ? 'broken' : 'unknown';
}

const isBroken = (look: SiteLook) => look.kind === 'seen' && look.isBroken;
const isGood = (look: SiteLook) => look.kind === 'seen' && !look.isBroken;

function isAsBefore(now: SiteLook, before: SiteLook): boolean {
  if (now.kind === 'unseen' || before.kind === 'unseen') return false;
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
