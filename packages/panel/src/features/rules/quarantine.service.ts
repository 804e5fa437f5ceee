import {
  CORE_SLUG,
  QUARANTINED_MAX,
  type QuarantinedVersion,
  type QuarantineRequest,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { ItemVersion } from './hold-finder.repository.ts';
import { isQuarantined } from './hold-rule.ts';
import {
  countOpenQuarantine,
  findSoftwareName,
  insertQuarantine,
  listQuarantined,
  lockQuarantine,
  markLifted,
  readOpenQuarantine,
} from './quarantine.repository.ts';
import { assertNotSteward, userIdOf } from './rules.service.ts';

export type QuarantineService = ReturnType<typeof createQuarantineService>;

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  notificationOutbox: NotificationOutbox;
};

/** Manages the versions that no run, schedule or user installs until an owner lifts the quarantine. */
export function createQuarantineService({ db, clock, audit, notificationOutbox }: Dependencies) {
  return {
    list: (): Promise<QuarantinedVersion[]> => listQuarantined(db),

    /** Quarantines a version at the request of a user. A site of the fleet must have the item. */
    add: (request: QuarantineRequest, origin: AuditOrigin): Promise<QuarantinedVersion> =>
      db.transaction().execute(async (trx) => {
        if ((await countOpenQuarantine(trx)) >= QUARANTINED_MAX) {
          throw new AppError('too_many_rules');
        }
        const slug = request.item_type === 'core' ? CORE_SLUG : request.slug;
        assertNotSteward(request.item_type, slug);
        const name = await findSoftwareName(trx, request.item_type, slug);
        if (name === undefined) throw new AppError('software_not_found');
        const id = await quarantine(trx, origin, { ...request, slug, name });
        if (id === null) throw new AppError('already_quarantined');
        return find(trx, id);
      }),

    /** Returns the items whose version is quarantined. */
    async findQuarantined<Item extends ItemVersion>(executor: Database, items: Item[]) {
      const open = await readOpenQuarantine(executor);
      return items.filter((item) => open.some((row) => isQuarantined(row, item)));
    },

    /** For a rollout with trouble, in its transaction. Returns null if the version is already quarantined. */
    quarantine,

    lift: (id: number, reason: string, origin: AuditOrigin): Promise<QuarantinedVersion> =>
      db.transaction().execute(async (trx) => {
        const row = await lockQuarantine(trx, id);
        if (!row) throw new AppError('quarantine_not_found');
        if (row.lifted_at) throw new AppError('quarantine_lifted');
        const lift_reason = reason.trim();
        await markLifted(trx, id, {
          ...{ lifted_at: clock.now(), lifted_by: userIdOf(origin), lift_reason },
        });
        await audit.record(trx, origin, {
          action: 'lift',
          entityType: 'quarantined_version',
          entityId: id,
          context: { ...toContext(row), reason: lift_reason },
        });
        return find(trx, id);
      }),
  };

  async function quarantine(
    trx: Trx,
    origin: AuditOrigin,
    version: QuarantineRequest & { name: string; rolloutId?: number },
  ): Promise<number | null> {
    const { rolloutId = null, ...request } = version;
    // The name of a rollout's item comes from the request of a user. All users see the name of a quarantined version.
    const name = await findSoftwareName(trx, request.item_type, request.slug);
    const fields = { ...request, name: name ?? request.name };
    const { item_type: type, slug } = fields;
    const open = await readOpenQuarantine(trx);
    // The unique index finds only the same spelling of a version.
    if (open.some((row) => isQuarantined(row, { type, slug, version: fields.version })))
      return null;
    const reason = fields.reason.trim();
    const id = await insertQuarantine(trx, {
      ...fields,
      reason,
      created_by: userIdOf(origin),
      rollout_id: rolloutId,
      created_at: clock.now(),
    });
    if (id === null) return null;
    await audit.record(trx, origin, {
      action: 'quarantine',
      entityType: 'quarantined_version',
      entityId: id,
      context: { ...toContext(fields), reason, ...(rolloutId && { rollout_id: rolloutId }) },
    });
    await notificationOutbox.emit(trx, {
      type: 'version.quarantined',
      key: `version.quarantined ${id}`,
      data: { ...toContext(fields), reason },
    });
    return id;
  }

  async function find(trx: Database, id: number): Promise<QuarantinedVersion> {
    const [row] = await listQuarantined(trx, id);
    if (!row) throw new AppError('quarantine_not_found');
    return row;
  }
}

const toContext = ({
  item_type,
  slug,
  name,
  version,
}: Pick<QuarantinedVersion, 'item_type' | 'slug' | 'name' | 'version'>) => ({
  item_type,
  slug,
  name,
  version,
});
