import type { OutsideCheckRequest, RunKind } from '@steward/contract';
import type {
  SiteClient,
  SiteOutcome,
  SiteResponse,
  SiteTarget,
} from '../../../site-client/index.ts';
import { checkFromOutside, isHealthyPage, observePages } from '../../health/index.ts';
import { applyVerdict } from '../outcome/apply-verdict.ts';
import type { TaskResult } from '../outcome/task-outcome.ts';

type Outcome = SiteOutcome<SiteResponse>;
type Dependencies = {
  siteClient: Pick<SiteClient, 'observePage' | 'sendVerdict' | 'sync'>;
  signal: AbortSignal;
  /** In seconds. */
  delays: { recheck: number; verdict: number };
};

/**
 * Returns what the panel can check if the site has not acted because it cannot load its own pages. Null: no check is needed.
 */
export function findOutsideCheck(outcome: Outcome): OutsideCheckRequest | null {
  const isNeeded = outcome.kind === 'refused' && outcome.code === 'outside_look_needed';
  return isNeeded ? (outcome.outsideCheck ?? {}) : null;
}

type OutsideCall = {
  kind: RunKind;
  request: OutsideCheckRequest;
  send: () => Promise<Outcome | null>;
};

/** Makes the call of a site that cannot check itself: the panel observes its pages before and after the change. */
export async function callWithOutsideCheck(
  target: SiteTarget,
  { kind, request, send }: OutsideCall,
  deps: Dependencies,
): Promise<Outcome | null> {
  const before = await observePages(target, { ...deps, request });
  const outcome = await send();
  if (outcome?.kind !== 'answered' || !('awaiting_verdict' in outcome.body)) return outcome;
  const { awaiting_verdict: change, ...body } = outcome.body;
  if (!change) return outcome;
  const checked = await checkFromOutside(target, before, change, { ...deps, request });
  return applyVerdict({ ...outcome, body }, kind, checked);
}

/** Reconciling proves only the version, so also check that the home page loads. */
export async function confirmByHomePage(
  result: TaskResult,
  target: SiteTarget,
  { siteClient, signal }: Dependencies,
): Promise<TaskResult> {
  if (result.status !== 'succeeded') return result;
  if (isHealthyPage(await siteClient.observePage(target, { signal }))) return result;
  return { ...result, status: 'unverified', notes: [HOME_PAGE_NOT_CONFIRMED] };
}

const HOME_PAGE_NOT_CONFIRMED =
  'The site reports the change, but its home page did not load or shows an error. Check the site.';
