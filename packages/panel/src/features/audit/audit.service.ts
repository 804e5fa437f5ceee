import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import { insertAuditRecords, insertMarks } from './audit.repository.ts';
import type { AuditHashes } from './audit-hashes.ts';

export type AuditEntry = {
  action: string;
  entityType: string;
  entityId: number | string;
  siteId?: number;
  /** Never a key or a token. */
  context?: Record<string, unknown>;
};

export type AuditService = {
  /** Takes the transaction of the change itself: there is no change without its record. */
  record(trx: Trx, origin: Origin, entries: AuditEntry | AuditEntry[]): Promise<void>;
};

/** Revoking a license may close thousands of sites; their records need not travel all at once. */
const RECORDS_PER_STATEMENT = 5000;

type Dependencies = { clock: Clock; hashes: AuditHashes };

export function createAuditService({ clock, hashes }: Dependencies): AuditService {
  return {
    async record(trx, origin, entries) {
      const records = [entries].flat().map((entry) => ({
        at: clock.now(),
        actor: origin.actor,
        action: entry.action,
        entity_type: entry.entityType,
        entity_id: String(entry.entityId),
        site_id: entry.siteId ?? null,
        context: { ...entry.context, via: origin.via },
        ip: origin.ip ?? null,
        request_id: origin.requestId ?? null,
      }));
      for (let at = 0; at < records.length; at += RECORDS_PER_STATEMENT) {
        const some = records.slice(at, at + RECORDS_PER_STATEMENT);
        const stored = await insertAuditRecords(trx, some);
        // The mark is made of what the database has stored, id included: it fits no other record.
        await insertMarks(
          trx,
          stored.map((each) => ({ record_id: each.id, record_hash: hashes.ofRecord(each) })),
        );
      }
    },
  };
}
