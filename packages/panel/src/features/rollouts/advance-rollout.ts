import { roleMay } from '@steward/contract';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import { findActiveUser } from '../access-tokens/index.ts';
import { hasOpenChecks } from '../health/index.ts';
import type { QuarantineService } from '../rules/index.ts';
import { type CallWindow, type RunService, WORKER_ORIGIN } from '../runs/index.ts';
import { describeItem } from './describe-item.ts';
import { enforceLimits, type HaltDependencies, halt, isActive } from './halt-rollout.ts';
import {
  lockRollout,
  type RingRow,
  type RolloutRow,
  type RunOfRing,
  readRings,
  readRunsOfRing,
  updateRing,
  updateRollout,
} from './rollouts.repository.ts';
import { listUncalledSites } from './site-states.repository.ts';
import { stopWithoutProof } from './stop-without-proof.ts';

export type AdvanceDependencies = HaltDependencies & {
  quarantine: Pick<QuarantineService, 'findQuarantined'>;
  db: Database;
  runs: Pick<RunService, 'createWithin'>;
  /** Locks the schedule that started a rollout and finds its windows; null if the schedule was deleted. */
  findWindows: FindWindows;
  log: Logger;
};

export type FindWindows = (
  trx: Trx,
  scheduleId: number,
  siteIds: number[],
) => Promise<((siteId: number) => CallWindow) | null>;

/** A ring that needs a run: its first one, or one for the sites that are left after a resume. */
type RingToStart = { rollout: RolloutRow; ring: RingRow; siteIds: number[] };

/**
 * Takes the next step of a rollout, if one is due: halt, start a ring or its soak time, stop items without proof, or finish.
 * All state is in the database, so any process can take the step, and a killed process loses nothing.
 */
export async function advanceRollout(rolloutId: number, deps: AdvanceDependencies): Promise<void> {
  const start = await deps.db.transaction().execute((trx) => takeNextStep(trx, rolloutId, deps));
  if (start) await startRing(start, deps);
}

/** Returns the ring to start, if this is the next step: the run is created in a transaction of its own. */
async function takeNextStep(
  trx: Trx,
  rolloutId: number,
  deps: AdvanceDependencies,
): Promise<RingToStart | null> {
  const { clock } = deps;
  const rollout = await lockRollout(trx, rolloutId);
  if (!rollout || !isActive(rollout)) return null;
  const rings = await readRings(trx, [rolloutId]);
  const ring = rings.find(({ position }) => position === rollout.ring);
  if (!ring) return null;
  const runs = await readRunsOfRing(trx, rolloutId, ring.position);
  if (await haltIfDue(trx, rollout, ring, runs, deps)) return null;
  if (runs.some(({ finished_at }) => finished_at === null)) return null;
  const siteIds = await listUncalledSites(trx, rolloutId, ring.position);
  if (siteIds.length > 0 && ring.run_id === null) return { rollout, ring, siteIds };
  const now = clock.now();
  const soakEndsAt = ring.soak_ends_at ?? addMinutes(now, rollout.settings.soak_minutes);
  // The last ring has a soak time too, although no ring follows: its troubles still count.
  if (ring.sites > 0 && soakEndsAt > now) {
    if (ring.soak_ends_at === null) await updateRing(trx, ring, { soak_ends_at: soakEndsAt });
    if (rollout.status !== 'soaking') await updateRollout(trx, rolloutId, { status: 'soaking' });
    return null;
  }
  const runIds = runs.map(({ id }) => id);
  // Some repeated checks are late if the panel was down or many checks are due. The ring waits for those that were due
  // in its soak time.
  if (await hasOpenChecks(trx, runIds, { dueBy: soakEndsAt, now })) return null;
  const proven = await stopWithoutProof(trx, rollout, ring, soakEndsAt, deps);
  if (!proven) return null;
  const soakEnd = ring.sites > 0 && { soak_ends_at: soakEndsAt };
  await updateRing(trx, ring, { finished_at: now, ...soakEnd });
  // Sites that needed only items without proof have left the later rings.
  const laterRings = proven === rollout ? rings : await readRings(trx, [rolloutId]);
  const next = laterRings.find(({ position, sites }) => position > ring.position && sites > 0);
  if (!next) {
    await updateRollout(trx, rolloutId, { status: 'finished', finished_at: now });
    const finished = { action: 'finish', entityType: 'rollout', entityId: rolloutId } as const;
    await deps.audit.record(trx, WORKER_ORIGIN, { ...finished, context: { name: proven.name } });
    return null;
  }
  await updateRollout(trx, rolloutId, { status: 'running', ring: next.position });
  const nextSites = await listUncalledSites(trx, rolloutId, next.position);
  return { rollout: proven, ring: next, siteIds: nextSites };
}

async function haltIfDue(
  trx: Trx,
  rollout: RolloutRow,
  ring: RingRow,
  runs: RunOfRing[],
  deps: AdvanceDependencies,
): Promise<boolean> {
  if (await enforceLimits(trx, rollout, deps)) return true;
  const wasCancelled = runs.some(({ id, cancelled_at }) => id === ring.run_id && cancelled_at);
  // An owner or another rollout may have quarantined a version. Without a halt, the panel would hold the version back on
  // each further site, and the rollout would finish.
  const [held] = await deps.quarantine.findQuarantined(trx, rollout.items);
  if (!wasCancelled && !held) return false;
  const reason = held
    ? `${describeItem(held)} was quarantined.`
    : 'The run of the ring was cancelled.';
  await halt(trx, rollout, ring, reason, deps);
  return true;
}

/** Creates the run of a ring. Of two processes that try it at the same time, one creates the run. */
async function startRing(
  { rollout, ring, siteIds }: RingToStart,
  deps: AdvanceDependencies,
): Promise<void> {
  const { db, clock, runs } = deps;
  const user = await findActiveUser(db, rollout.created_by, clock.now());
  if (!user || !roleMay(user.role, 'sites.act')) return haltWithoutUser(rollout, ring, deps);
  const { id, schedule_id, items } = rollout;
  await db.transaction().execute(async (trx) => {
    // The schedule is locked before its rollouts, as when it is stopped.
    const windowOf = schedule_id && (await deps.findWindows(trx, schedule_id, siteIds));
    // The schedule was deleted in the meantime, which also cancelled the rollout.
    if (schedule_id !== null && !windowOf) return;
    const current = await lockRollout(trx, id);
    const rings = await readRings(trx, [id]);
    const { run_id } = rings.find(({ position }) => position === ring.position) ?? ring;
    if (current?.status !== 'running' || run_id !== null) return;
    const input = {
      kind: 'update' as const,
      siteIds,
      request: { items },
      rollout: { id, ring: ring.position },
      ...(windowOf && { schedule: { id: schedule_id ?? 0, windowOf } }),
    };
    const runId = await runs.createWithin(trx, user, input, rollout.origin as AuditOrigin);
    const started_at = ring.started_at ?? clock.now();
    await updateRing(trx, ring, { run_id: runId, started_at, soak_ends_at: null });
  });
}

function haltWithoutUser(
  { id }: RolloutRow,
  ring: RingRow,
  deps: AdvanceDependencies,
): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    const rollout = await lockRollout(trx, id);
    if (!rollout || !isActive(rollout)) return;
    const reason =
      'The user or access token of the rollout may no longer update sites. Resume the rollout to continue with your access.';
    await halt(trx, rollout, ring, reason, deps);
  });
}

const addMinutes = (time: Date, minutes: number) => new Date(time.getTime() + minutes * 60_000);
