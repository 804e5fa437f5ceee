import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { utcDay } from '../../platform/utc-day.ts';
import type { AuditEntry, AuditService } from './audit.service.ts';
import { CountedRefusal } from './counted-refusal.ts';
import { countEvent, type EndedEvent, takeEventsBefore } from './repeated-events.repository.ts';

/**
 * Events that another party can repeat at will. The audit log is append-only, so each of them would take space forever.
 */
export type RepeatedEvents = {
  /**
   * Records the event like `audit.record`, but at most `recordsPerDay` of its kind per day (UTC). One further record has the
   * number of the others, when the day has ended. `kind` tells apart events of the same entity and becomes the context of
   * this record.
   */
  record(
    trx: Trx,
    origin: AuditOrigin,
    entry: AuditEntry,
    options: { recordsPerDay: number; kind?: Record<string, string> },
  ): Promise<void>;
  /** Runs the work. Counts its refusals after its transaction has been rolled back. */
  countRefusals<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Writes the records of ended days. */
  recordEndedDays(): Promise<void>;
};

type Dependencies = { db: Database; clock: Clock; audit: AuditService };

const WORKER: AuditOrigin = { actor: 'system', via: 'worker' };
const EVENTS_PER_TRANSACTION = 500;

export function createRepeatedEvents({ db, clock, audit }: Dependencies): RepeatedEvents {
  function count(
    on: Database,
    { action, entityType, entityId, siteId }: AuditEntry,
    { recordsPerDay, kind = {} }: { recordsPerDay: number; kind?: Record<string, unknown> },
  ): Promise<number> {
    const event = {
      day: utcDay(clock.now()),
      key: JSON.stringify([action, entityType, String(entityId), siteId ?? null, kind]),
      action,
      entity_type: entityType,
      entity_id: String(entityId),
      site_id: siteId ?? null,
      context: kind,
    };
    return countEvent(on, event, { recordsPerDay });
  }

  return {
    async record(trx, origin, entry, options) {
      if ((await count(trx, entry, options)) > options.recordsPerDay) return;
      await audit.record(trx, origin, entry);
    },

    async countRefusals(work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof CountedRefusal) {
          const { entry } = error;
          await count(db, entry, {
            recordsPerDay: 0,
            ...(entry.context && { kind: entry.context }),
          });
        }
        throw error;
      }
    },

    async recordEndedDays() {
      const today = utcDay(clock.now());
      for (;;) {
        const taken = await db.transaction().execute(async (trx) => {
          const events = await takeEventsBefore(trx, today, EVENTS_PER_TRANSACTION);
          await audit.record(trx, WORKER, events.filter(isRepeated).map(toEntry));
          return events.length;
        });
        if (taken < EVENTS_PER_TRANSACTION) return;
      }
    },
  };
}

const isRepeated = ({ count, recorded }: EndedEvent) => count > recorded;

function toEntry(event: EndedEvent): AuditEntry {
  const { action, entity_type, entity_id, site_id, context, day, count, recorded } = event;
  return {
    action,
    entityType: entity_type,
    entityId: entity_id,
    ...(site_id != null && { siteId: site_id }),
    context: { ...context, repeated: count - recorded, day },
    // The row has the type and the action of an earlier entry.
  } as AuditEntry;
}
