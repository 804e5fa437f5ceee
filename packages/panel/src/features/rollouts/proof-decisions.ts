import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { type CurrentUser, isVisibleTo, OPERATOR } from '../site-access/index.ts';
import { describeItems } from './describe-item.ts';
import { findCanaries, moveSites, recountRings } from './proof.repository.ts';
import type { RolloutChanges } from './rollout-changes.ts';
import { type RolloutRow, readRings, updateRing, updateRollout } from './rollouts.repository.ts';

/** The audit record lists only the first sites. */
const AUDITED_SITES_MAX = 50;

/** The decisions about a rollout that waits for proof. `cancel` ends it. */
export function createProofDecisions(
  { change, continueRollout, assertNotQuarantined, record }: RolloutChanges,
  { clock }: { clock: Clock },
) {
  return {
    /**
     * Moves sites of later rings to the ring that waits, which updates them and soaks again. The user must have access to all
     * of them: another site would not be updated, or not at the request of this user.
     */
    chooseCanaries: (user: CurrentUser, id: number, siteIds: number[], origin: AuditOrigin) =>
      change(user, id, async (trx, rollout) => {
        assertWaiting(rollout);
        await assertNotQuarantined(trx, rollout.items);
        const ring = { rolloutId: id, ring: rollout.ring };
        const wanted = [...new Set(siteIds)];
        const found = await findCanaries(trx, ring, wanted, isVisibleTo(user, 's'));
        const visible = found.filter(({ is_visible }) => is_visible);
        // For users with access to some sites, a site that does not exist looks like one of the others.
        if (user.role !== 'owner' && visible.length < wanted.length) {
          throw new AppError('forbidden', NO_ACCESS);
        }
        const later = visible.filter(({ is_later }) => is_later).map(({ site_id }) => site_id);
        if (later.length < wanted.length) throw new AppError('invalid_request', NOT_LATER);
        await moveSites(trx, ring, later);
        await recountRings(trx, id);
        const row = { rollout_id: id, position: rollout.ring };
        await updateRing(trx, row, { run_id: null, soak_ends_at: null });
        await continueRollout(trx, rollout, user, origin);
        await record(trx, origin, 'choose_canaries', id, {
          ...(await describe(trx, rollout)),
          sites: later.length,
          site_ids: later.slice(0, AUDITED_SITES_MAX),
        });
      }),

    /** Starts the next ring although this one proved nothing. The reason is kept on the rollout and in the audit log. */
    continueWithoutProof: (user: CurrentUser, id: number, text: string, origin: AuditOrigin) =>
      change(user, id, async (trx, rollout) => {
        assertWaiting(rollout);
        await assertNotQuarantined(trx, rollout.items);
        const reason = text.trim();
        const exception = {
          ring: rollout.ring,
          items: rollout.items,
          reason,
          user_id: user.id === OPERATOR.id ? null : user.id,
          at: clock.now().toISOString(),
        };
        const proof_exceptions = [...rollout.proof_exceptions, exception];
        await updateRollout(trx, id, { proof_exceptions });
        await continueRollout(trx, rollout, user, origin);
        const context = { ...(await describe(trx, rollout)), reason };
        await record(trx, origin, 'continue_without_proof', id, context);
      }),
  };
}

async function describe(trx: Trx, { id, name, ring, items }: RolloutRow) {
  const rings = await readRings(trx, [id]);
  const current = rings.find(({ position }) => position === ring);
  return { name, ring: current?.name ?? '', items: describeItems(items) };
}

function assertWaiting({ status, halt_code }: RolloutRow): void {
  if (status === 'halted' && halt_code === 'waits_for_proof') return;
  throw new AppError('rollout_not_waiting');
}

const NO_ACCESS = {
  message: 'You have no access to at least one of these sites. Choose other sites.',
};
const NOT_LATER = { message: 'Choose sites of the later rings of this rollout.' };
