import {
  assignRings,
  type CreateRolloutRequest,
  DEFAULT_RINGS,
  DEFAULT_ROLLOUT_SETTINGS,
  isManagementPlugin,
  type Overview,
  type RingPlan,
  type RolloutItem,
  type RolloutSite,
  type RolloutSummary,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { UserService } from '../accounts/index.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { QuarantineService } from '../rules/index.ts';
import { cancelRuns } from '../runs/index.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { nameRollout } from './describe-item.ts';
import { isActive } from './halt-rollout.ts';
import { listTroubles } from './items-over-limit.ts';
import { createProofDecisions } from './proof-decisions.ts';
import { createRolloutChanges } from './rollout-changes.ts';
import { toRolloutViews } from './rollout-view.ts';
import {
  insertRollout,
  listWaitingForProof,
  readSitesForRings,
  selectRollouts,
  updateRing,
  updateRollout,
} from './rollouts.repository.ts';
import { acceptTroubles, readRolloutSites } from './site-states.repository.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  users: Pick<UserService, 'assertEnabled'>;
  quarantine: Pick<QuarantineService, 'findQuarantined'>;
  notificationOutbox: Pick<NotificationOutbox, 'emit'>;
};

const ROLLOUTS_PER_PAGE = 50;
const HALTED_ON_OVERVIEW = 5;
/** The audit record lists only the first items: a rollout can have thousands of items. */
const AUDITED_ITEMS_MAX = 20;

export type RolloutService = ReturnType<typeof createRolloutService>;

/**
 * Creates, shows, resumes and cancels rollouts, and ends soak times. `advanceRollout` and `createRolloutGuard` take the
 * other steps.
 */
export function createRolloutService(deps: Dependencies) {
  const { db, clock, users, quarantine } = deps;
  const changes = createRolloutChanges(deps);
  const { change, record, assertNotQuarantined } = changes;

  return {
    ...createProofDecisions(changes, deps),

    /** Shows how many sites each ring would have. */
    async preview(user: CurrentUser, siteIds: number[], rings: RingPlan[] = DEFAULT_RINGS) {
      assertValidRings(rings);
      const ringOf = await chooseRings(db, user, siteIds, rings);
      return rings.map((ring, position) => ({
        ...ring,
        sites: [...ringOf.values()].filter((assigned) => assigned === position).length,
      }));
    },

    create: (
      user: CurrentUser,
      request: CreateRolloutRequest,
      origin: AuditOrigin,
    ): Promise<number> =>
      db.transaction().execute((trx) => createRollout(trx, user, request, origin)),

    /** For a schedule, which marks its day in the same transaction. */
    createWithin: createRollout,

    async list(user: CurrentUser, before: number): Promise<RolloutSummary[]> {
      const rows = await selectRollouts(db, user)
        .where('rollouts.id', '<', before)
        .orderBy('rollouts.id', 'desc')
        .limit(ROLLOUTS_PER_PAGE)
        .execute();
      return toRolloutViews(db, rows, quarantine);
    },

    /** The versions that wait for proof in halted rollouts of a schedule. */
    listWaitingForProof: (scheduleId: number): Promise<RolloutItem[]> =>
      listWaitingForProof(db, scheduleId),

    /** The newest halted rollouts, for the overview. */
    async listHalted(user: CurrentUser): Promise<Overview['halted_rollouts']> {
      const rows = await selectRollouts(db, user)
        .where('rollouts.status', '=', 'halted')
        .orderBy('rollouts.id', 'desc')
        .limit(HALTED_ON_OVERVIEW)
        .execute();
      return rows.map(({ id, name, halt_reason }) => ({
        rollout_id: id,
        name,
        reason: halt_reason,
      }));
    },

    async show(
      user: CurrentUser,
      id: number,
    ): Promise<{ rollout: RolloutSummary; sites: RolloutSite[] }> {
      const row = await selectRollouts(db, user).where('rollouts.id', '=', id).executeTakeFirst();
      if (!row) throw new AppError('rollout_not_found');
      const { sites, counts } = await readRolloutSites(db, id, isVisibleTo(user, 's'));
      const [rollout] = await toRolloutViews(db, [row], quarantine, counts);
      return { rollout: rollout as RolloutSummary, sites };
    },

    /**
     * Continues a halted rollout in its ring. One that waits for proof soaks again and is judged again, for example after a
     * retry of its sites. The troubled sites stay as they are and no longer count toward the limit. The
     * user who resumes becomes the user of the rollout if the former one may no longer update sites, for example the bot
     * user of an ended access token.
     */
    resume: (user: CurrentUser, id: number, origin: AuditOrigin) =>
      change(user, id, async (trx, rollout) => {
        if (rollout.status !== 'halted') throw new AppError('rollout_not_halted');
        await assertNotQuarantined(trx, rollout.items);
        await acceptTroubles(trx, id, await listTroubles(trx, id));
        // The engine starts another run for the sites of the ring that were not called, then a new soak time.
        const ring = { rollout_id: id, position: rollout.ring };
        await updateRing(trx, ring, { run_id: null, soak_ends_at: null });
        await changes.continueRollout(trx, rollout, user, origin);
        await record(trx, origin, 'resume', id, { name: rollout.name });
      }),

    /** Ends the soak time now, so that the next ring starts. After the last ring, the rollout finishes. */
    endSoak: (user: CurrentUser, id: number, origin: AuditOrigin) =>
      change(user, id, async (trx, rollout) => {
        if (rollout.status !== 'soaking') throw new AppError('rollout_not_soaking');
        const ring = { rollout_id: id, position: rollout.ring };
        await updateRing(trx, ring, { soak_ends_at: clock.now() });
        await record(trx, origin, 'end_soak', id, { name: rollout.name });
      }),

    /** Ends the rollout. Calls in flight finish; sites that were updated keep the new version. */
    cancel: (user: CurrentUser, id: number, origin: AuditOrigin) =>
      change(user, id, async (trx, rollout) => {
        if (!isActive(rollout) && rollout.status !== 'halted') return;
        await cancelRuns(trx, { rolloutIds: [id] }, { origin }, deps);
        await updateRollout(trx, id, { status: 'cancelled', finished_at: clock.now() });
        await record(trx, origin, 'cancel', id, { name: rollout.name });
      }),
  };

  async function createRollout(
    trx: Trx,
    user: CurrentUser,
    request: CreateRolloutRequest & { scheduleId?: number },
    origin: AuditOrigin,
  ): Promise<number> {
    const { rings = DEFAULT_RINGS, items } = request;
    assertValidRings(rings);
    assertValidItems(items);
    const ringOf = await chooseRings(trx, user, request.site_ids, rings);
    if (ringOf.size === 0) throw new AppError('site_not_found');
    const sites = [...ringOf].map(([site_id, ring]) => ({ site_id, ring }));
    const name = request.name ?? nameRollout(items);
    const settings = { ...DEFAULT_ROLLOUT_SETTINGS, ...request.settings };
    await users.assertEnabled(trx, user.id);
    await assertNotQuarantined(trx, items);
    const id = await insertRollout(
      trx,
      {
        ...{ name, items, settings, origin, ring: 0 },
        status: 'running',
        created_by: user.id,
        schedule_id: request.scheduleId ?? null,
        created_at: clock.now(),
      },
      rings.map((ring, position) => ({
        position,
        name: ring.name,
        sites: sites.filter((site) => site.ring === position).length,
      })),
      sites,
    );
    const context = {
      name,
      items: items.slice(0, AUDITED_ITEMS_MAX),
      items_total: items.length,
      sites: sites.length,
      rings: rings.length,
    };
    await record(trx, origin, 'create', id, context);
    return id;
  }
}

/** Assigns the sites that the user may see to rings. */
async function chooseRings(db: Database, user: CurrentUser, siteIds: number[], rings: RingPlan[]) {
  return assignRings(await readSitesForRings(db, user, [...new Set(siteIds)]), rings);
}

function assertValidRings(rings: RingPlan[]): void {
  const last = rings.at(-1);
  const isValid =
    last?.tag === undefined &&
    last?.percent === undefined &&
    rings.slice(0, -1).every(({ tag, percent }) => (tag === undefined) !== (percent === undefined));
  if (isValid) return;
  throw new AppError('invalid_request', {
    message:
      'Each ring needs either a tag or a percentage. The last ring needs neither: it gets all other sites.',
  });
}

function assertValidItems(items: RolloutItem[]): void {
  if (items.some(({ type, slug }) => type === 'plugin' && isManagementPlugin(slug))) {
    throw new AppError('management_plugin');
  }
  const keys = new Set(items.map(({ type, slug }) => `${type} ${slug}`));
  if (keys.size === items.length) return;
  throw new AppError('invalid_request', { message: 'Choose one version of each item.' });
}
