import type {
  CallObstacle,
  ExplainedHold,
  OfferedItem,
  PendingCounts,
  SoftwareType,
} from '@steward/contract';

/** What an update of some sites would do. Every count of sites or updates on a screen comes from a plan. */
export type UpdatePlan = {
  /** The sites that the user may see, sorted by name. */
  sites: PlannedSite[];
  /** The pending updates of the sites that a run calls or holds, with their holds. */
  offers: PlannedOffer[];
  /** The sites that do not exist or that the user may not see. */
  notFound: number;
};

export type PlannedSite = {
  id: number;
  name: string;
  pending: PendingCounts;
  /** Whether the site can install selected updates. */
  canChoose: boolean;
  outcome: PlannedOutcome;
};

export type PlannedOutcome =
  /** A run of all updates calls the site. */
  | { kind: 'update' }
  | { kind: 'held'; explanation: string; hold: ExplainedHold | null }
  | { kind: 'nothing_pending' }
  | { kind: 'skipped'; reason: CallObstacle };

/** One version of an item, on sites with the same hold. */
export type PlannedOffer = OfferedItem & { canChoose: boolean };

type Item = { type: SoftwareType; slug: string };

/** The part of a plan that installs only some updates; all updates if `includes` is null. */
export type UpdateChoice = {
  /** The sites that the run calls. */
  siteIds: number[];
  /** The updates that it installs there. */
  offers: PlannedOffer[];
  /** The chosen updates that a rule or a quarantine holds. */
  heldOffers: PlannedOffer[];
  /** The sites on which every chosen update is held, with the first hold. */
  held: Map<number, ExplainedHold | null>;
  /** The sites with a chosen update whose Steward plugin is too old: they would install every update. */
  unsupportedIds: number[];
  upToDate: number;
};

/** Chooses the updates for which `includes` returns true. The run then names the items of `offers`. */
export function chooseUpdates(
  plan: UpdatePlan,
  includes: ((item: Item) => boolean) | null,
): UpdateChoice {
  return includes ? chooseItems(plan, includes) : chooseAll(plan);
}

function chooseAll({ sites, offers }: UpdatePlan): UpdateChoice {
  const siteIds = sites.filter(({ outcome }) => outcome.kind === 'update').map(({ id }) => id);
  return {
    siteIds,
    offers: limitTo(new Set(siteIds), offers.filter(isAllowed)),
    heldOffers: offers.filter(isHeld),
    held: new Map(sites.flatMap(toHeldEntry)),
    unsupportedIds: [],
    upToDate: sites.filter(({ outcome }) => outcome.kind === 'nothing_pending').length,
  };
}

function chooseItems(plan: UpdatePlan, includes: (item: Item) => boolean): UpdateChoice {
  const chosen = plan.offers.filter(includes);
  const choosable = chosen.filter(({ canChoose }) => canChoose);
  const offers = choosable.filter(isAllowed);
  const called = listSites(offers);
  const heldOffers = chosen.filter(isHeld);
  const unsupported = listSites(chosen.filter(({ canChoose }) => !canChoose));
  const sites = new Map(plan.sites.map((site) => [site.id, site]));
  const held = new Map<number, ExplainedHold | null>();
  for (const { hold, site_ids, canChoose } of heldOffers) {
    for (const id of canChoose ? site_ids : []) {
      if (!called.has(id) && !held.has(id)) held.set(id, hold ?? null);
    }
  }
  // A rule refuses the whole site, because it could install a held version.
  for (const id of unsupported) {
    const outcome = sites.get(id)?.outcome;
    if (outcome?.kind === 'held') held.set(id, outcome.hold);
  }
  const unsupportedIds = [...unsupported].filter((id) => !held.has(id));
  const withUpdates = called.size + held.size + unsupportedIds.length;
  const skipped = plan.sites.filter(({ outcome }) => outcome.kind === 'skipped').length;
  return {
    siteIds: [...called],
    offers,
    heldOffers,
    held,
    unsupportedIds,
    upToDate: plan.sites.length - skipped - withUpdates,
  };
}

const isHeld = ({ hold }: PlannedOffer) => hold !== undefined;
const isAllowed = ({ hold }: PlannedOffer) => hold === undefined;

const listSites = (offers: PlannedOffer[]) => new Set(offers.flatMap(({ site_ids }) => site_ids));

const toHeldEntry = ({ id, outcome }: PlannedSite): [number, ExplainedHold | null][] =>
  outcome.kind === 'held' ? [[id, outcome.hold]] : [];

function limitTo(ids: ReadonlySet<number>, offers: PlannedOffer[]): PlannedOffer[] {
  return offers
    .map((offer) => ({ ...offer, site_ids: offer.site_ids.filter((id) => ids.has(id)) }))
    .filter(({ site_ids }) => site_ids.length > 0);
}
