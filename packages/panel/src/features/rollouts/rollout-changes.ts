import type { AuditAction, RolloutItem } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { QuarantineService } from '../rules/index.ts';
import { type CurrentUser, OPERATOR } from '../site-access/index.ts';
import { describeItem } from './describe-item.ts';
import {
  announceChange,
  lockRollout,
  type RolloutRow,
  selectRollouts,
  updateRollout,
  userMayUpdate,
} from './rollouts.repository.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  quarantine: Pick<QuarantineService, 'findQuarantined'>;
};

export type RolloutChanges = ReturnType<typeof createRolloutChanges>;

/** What all changes of a rollout by a user have in common. */
export function createRolloutChanges({ db, clock, audit, quarantine }: Dependencies) {
  return {
    /** Locks the rollout, calls `write`, and announces the change. */
    async change(
      user: CurrentUser,
      id: number,
      write: (trx: Trx, rollout: RolloutRow) => Promise<void>,
    ): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const seen = await selectRollouts(trx, user)
          .where('rollouts.id', '=', id)
          .executeTakeFirst();
        if (!seen) throw new AppError('rollout_not_found');
        const rollout = await lockRollout(trx, id);
        if (!rollout) return;
        await write(trx, rollout);
        await announceChange(trx, id);
      });
    },

    /**
     * Sets a halted rollout running. The user becomes the user of the rollout if the former one may no longer update sites,
     * for example the bot user of an ended access token.
     */
    async continueRollout(
      trx: Trx,
      rollout: RolloutRow,
      user: CurrentUser,
      origin: AuditOrigin,
    ): Promise<void> {
      const newUser =
        !(await userMayUpdate(trx, rollout, clock.now())) && toRolloutUser(user, origin);
      const running = { status: 'running', halt_reason: null, halt_code: null } as const;
      await updateRollout(trx, rollout.id, { ...running, ...newUser });
    },

    async assertNotQuarantined(trx: Trx, items: RolloutItem[]): Promise<void> {
      const [held] = await quarantine.findQuarantined(trx, items);
      if (!held) return;
      throw new AppError('held_version', {
        message: `${describeItem(held)} is quarantined. Ask an owner to lift the quarantine.`,
      });
    },

    record: (
      trx: Trx,
      origin: AuditOrigin,
      action: AuditAction<'rollout'>,
      entityId: number,
      context: AuditEntry<'rollout'>['context'],
    ): Promise<void> =>
      audit.record(trx, origin, { action, entityType: 'rollout', entityId, context }),
  };
}

function toRolloutUser(user: CurrentUser, origin: AuditOrigin) {
  if (user.id !== OPERATOR.id) return { created_by: user.id, origin };
  throw new AppError('forbidden', {
    message:
      'The user of this rollout may no longer update sites. Sign in to the panel and resume the rollout there: it continues with your access.',
  });
}
