import type { CallObstacle, ExplainedHold, LeftOutSites, UpdateSummary } from '@steward/contract';
import type { PlannedOffer, UpdateChoice, UpdatePlan } from './update-plan.ts';

/** Counts what a choice of updates would do, for a button that starts it. */
export function summarizeUpdate(
  plan: UpdatePlan,
  choice: UpdateChoice,
): Omit<UpdateSummary, 'is_complete'> {
  return {
    sites: choice.siteIds.length,
    updates: countUpdates(choice.offers),
    held_updates: countUpdates(choice.heldOffers),
    left_out: [...listSkipped(plan), ...listHeld(choice), ...listUnsupported(choice)].sort(
      (a, b) => b.sites - a.sites,
    ),
    up_to_date: choice.upToDate,
    not_found: plan.notFound,
  };
}

const countUpdates = (offers: PlannedOffer[]) =>
  offers.reduce((total, { site_ids }) => total + site_ids.length, 0);

function listSkipped({ sites }: UpdatePlan): LeftOutSites[] {
  const counts = new Map<CallObstacle, number>();
  for (const { outcome } of sites) {
    if (outcome.kind !== 'skipped') continue;
    counts.set(outcome.reason, (counts.get(outcome.reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => ({ reason, sites: count }));
}

/** One entry for each rule and quarantine. */
function listHeld({ held }: UpdateChoice): LeftOutSites[] {
  const byHold = Map.groupBy(held.values(), (hold) => hold?.explanation ?? '');
  return [...byHold.values()].map((holds) => {
    const hold: ExplainedHold | null | undefined = holds[0];
    return { reason: 'held_version', sites: holds.length, ...(hold && { hold }) };
  });
}

const listUnsupported = ({ unsupportedIds: { length: sites } }: UpdateChoice): LeftOutSites[] =>
  sites === 0 ? [] : [{ reason: 'items_unsupported', sites }];
