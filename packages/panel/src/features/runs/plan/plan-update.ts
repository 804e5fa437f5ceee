import type { CallObstacle } from '@steward/contract';
import type { HoldFinder } from '../../rules/index.ts';
import type { ItemPlanner } from '../hold-back.ts';
import type { Offer } from './offers.repository.ts';
import type { ReadSite } from './sites-to-call.repository.ts';
import type { PlannedOffer, PlannedOutcome } from './update-plan.ts';

type Pending = Pick<ReadSite, 'pending_plugins' | 'pending_themes' | 'pending_core'>;

export const hasUpdates = (site: Pending): boolean =>
  site.pending_plugins + site.pending_themes + site.pending_core > 0;

/** Decides what a run of all updates does on a site. `chooseItems` is the decision of the run itself. */
export function decideOutcome(
  site: Pick<ReadSite, 'id'> & Pending,
  obstacle: CallObstacle | null,
  { chooseItems, finder }: ItemPlanner,
): PlannedOutcome {
  if (obstacle) return { kind: 'skipped', reason: obstacle };
  if (!hasUpdates(site)) return { kind: 'nothing_pending' };
  const { refusal } = chooseItems(site.id);
  if (!refusal) return { kind: 'update' };
  const hold = finder?.listHeld(site.id)[0]?.hold ?? finder?.findOutdatedSiteHold(site.id) ?? null;
  return { kind: 'held', explanation: hold?.explanation ?? refusal.error ?? '', hold };
}

/** Sites on which the same update is held for the same reason share one entry. */
export function splitByHold(offers: Offer[], finder: HoldFinder | null): PlannedOffer[] {
  return offers.flatMap(({ can_choose: canChoose, ...offer }) => {
    if (!finder) return [{ ...offer, canChoose }];
    const byHold = Map.groupBy(offer.site_ids, (id) => finder.findPendingHold(Number(id), offer));
    // Equal holds of different installed versions are different objects.
    const byContent = Map.groupBy(byHold, ([hold]) => JSON.stringify(hold));
    return [...byContent.values()].map((groups): PlannedOffer => {
      const hold = groups[0]?.[0] ?? null;
      const site_ids = groups.flatMap(([, ids]) => ids);
      return { ...offer, canChoose, site_ids, ...(hold && { hold: finder.explain(hold) }) };
    });
  });
}
