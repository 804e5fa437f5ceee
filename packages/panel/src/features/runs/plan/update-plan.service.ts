import {
  PREVIEW_SITES_MAX,
  type UpdatePreview,
  type UpdateSummary,
  type UpdateSummaryRequest,
  type VersionWarning,
} from '@steward/contract';
import { AppError } from '../../../platform/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/handles.ts';
import { readVersionWarnings } from '../../release-health/index.ts';
import { type CurrentUser, isVisibleTo, scopeOf } from '../../site-access/index.ts';
import { type SiteListService, siteStatusSql } from '../../sites/index.ts';
import { createItemPlanner } from '../hold-back.ts';
import { findObstacle } from './find-obstacle.ts';
import { listOffers } from './offers.repository.ts';
import { decideOutcome, hasUpdates, splitByHold } from './plan-update.ts';
import { type ReadSite, readSitesToCall } from './sites-to-call.repository.ts';
import { summarizeUpdate } from './summarize-update.ts';
import {
  chooseUpdates,
  type PlannedOffer,
  type PlannedSite,
  type UpdatePlan,
} from './update-plan.ts';

export type UpdatePlanService = ReturnType<typeof createUpdatePlanService>;

type Dependencies = { db: Database; clock: Clock; siteList: Pick<SiteListService, 'select'> };

/** Plans updates from the stored reports, without calling a site. A run of the same sites decides by the same functions. */
export function createUpdatePlanService({ db, clock, siteList }: Dependencies) {
  return {
    plan,

    /** The plan as the dialogs and commands show it before they start an update. */
    async preview(user: CurrentUser, siteIds: number[]): Promise<UpdatePreview> {
      const found = await plan(user, siteIds);
      const offers = found.offers.filter(({ canChoose }) => canChoose);
      const options = { scope: scopeOf(user), now: clock.now() };
      return toPreview(found, addWarnings(offers, await readVersionWarnings(db, offers, options)));
    },

    /** Counts what an update would do: the number on the button that starts it, and why it leaves out sites. */
    async summarize(user: CurrentUser, request: UpdateSummaryRequest): Promise<UpdateSummary> {
      const { site_ids, is_complete } = await selectSites(user, request);
      const found = await plan(user, site_ids);
      return { ...summarizeUpdate(found, chooseUpdates(found, toFilter(request))), is_complete };
    },
  };

  async function plan(user: CurrentUser, siteIds: number[]): Promise<UpdatePlan> {
    const ids = [...new Set(siteIds)];
    const now = clock.now();
    const read = await readSitesToCall(db, ids, isVisibleTo(user, 's'), siteStatusSql(now));
    // Without the sites that the rules cannot change.
    const pending = read.filter((site) => hasUpdates(site) && findObstacle(site, now) === null);
    const pendingIds = pending.map(({ id }) => id);
    const onlyPendingOf = new Set(pending.filter(canChoose).map(({ id }) => id));
    const run = { kind: 'update', request: {} } as const;
    const planner = await createItemPlanner(db, run, pendingIds, now, { onlyPendingOf });
    const sites = read.map(
      (site): PlannedSite => ({
        id: site.id,
        name: site.name,
        pending: {
          plugins: site.pending_plugins,
          themes: site.pending_themes,
          core: site.pending_core,
        },
        canChoose: canChoose(site),
        outcome: decideOutcome(site, findObstacle(site, now), planner),
      }),
    );
    const open = sites.filter(({ outcome }) => ['update', 'held'].includes(outcome.kind));
    const choosing = new Set(open.filter(({ canChoose }) => canChoose).map(({ id }) => id));
    const offers = await listOffers(db, toIds(open), choosing);
    return {
      sites,
      offers: splitByHold(offers, planner.finder),
      notFound: ids.length - read.length,
    };
  }

  async function selectSites(user: CurrentUser, { site_ids, selection }: UpdateSummaryRequest) {
    if ((site_ids === undefined) === (selection === undefined)) {
      const message = 'Send either site_ids or selection.';
      throw new AppError('invalid_request', { message });
    }
    return site_ids
      ? { site_ids, is_complete: true }
      : await siteList.select(user, selection ?? {});
  }
}

const canChoose = ({ capabilities }: ReadSite) => capabilities?.includes('update.items') ?? false;

function toFilter({ types, items }: UpdateSummaryRequest) {
  if (!types && !items) return null;
  return (item: { type: string; slug: string }) =>
    types?.some((type) => type === item.type) ||
    items?.some(({ type, slug }) => type === item.type && slug === item.slug) ||
    false;
}

function toPreview({ sites, notFound }: UpdatePlan, offers: PlannedOffer[]): UpdatePreview {
  const toUpdate = sites.filter(({ outcome }) => outcome.kind === 'update');
  const unsupported = toUpdate.filter(({ canChoose }) => !canChoose);
  const held = sites.flatMap(({ id, name, outcome }) => {
    if (outcome.kind !== 'held') return [];
    const { explanation, hold } = outcome;
    return [{ id, name, explanation, ...(hold && { hold }) }];
  });
  const skipped = sites.flatMap(({ id, name, outcome }) =>
    outcome.kind === 'skipped' ? [{ id, name, status: outcome.reason }] : [],
  );
  const upToDate = sites.filter(({ outcome }) => outcome.kind === 'nothing_pending');
  return {
    to_update: {
      site_ids: toIds(toUpdate),
      pending: sumPending(toUpdate),
      sites: toNames(toUpdate.filter(({ canChoose }) => canChoose)),
      items: offers.map(({ canChoose: _, ...item }) => item),
    },
    items_unsupported: { site_ids: toIds(unsupported), sites: toNames(unsupported) },
    held: { count: held.length, sites: held.slice(0, PREVIEW_SITES_MAX) },
    nothing_pending: { site_ids: toIds(upToDate) },
    skipped: { count: skipped.length, sites: skipped.slice(0, PREVIEW_SITES_MAX) },
    not_found: notFound,
  };
}

function addWarnings(offers: PlannedOffer[], warnings: VersionWarning[]): PlannedOffer[] {
  return offers.map((item) => {
    const warning = warnings.find(
      ({ type, slug, version }) =>
        type === item.type && slug === item.slug && version === item.version,
    );
    return warning ? { ...item, warning } : item;
  });
}

const toNames = (sites: PlannedSite[]) =>
  sites.slice(0, PREVIEW_SITES_MAX).map(({ id, name }) => ({ id, name }));

const toIds = (sites: PlannedSite[]) => sites.map(({ id }) => id);

function sumPending(sites: PlannedSite[]): UpdatePreview['to_update']['pending'] {
  const sum = (field: 'plugins' | 'themes' | 'core') =>
    sites.reduce((total, { pending }) => total + pending[field], 0);
  return { plugins: sum('plugins'), themes: sum('themes'), core: sum('core') };
}
