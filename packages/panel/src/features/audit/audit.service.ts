import type { AUDIT_NAME_KEYS, AuditAction, AuditEntityType } from '@steward/contract';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { insertAuditRecords, insertMarks } from './audit.repository.ts';
import type { AuditHashes } from './audit-hashes.ts';

export type AuditEntry<Type extends AuditEntityType = AuditEntityType> = {
  [Each in Type]: EntryAbout<Each>;
}[Type];

type EntryAbout<Type extends AuditEntityType> = {
  action: AuditAction<Type>;
  entityType: Type;
  entityId: number | string;
  siteId?: number;
} & AuditContext<Type>;

/** Must not contain a key or a token. Required if the record has to keep the name of the entity. */
type AuditContext<Type extends AuditEntityType> = Type extends keyof typeof AUDIT_NAME_KEYS
  ? { context: Record<string, unknown> & Record<(typeof AUDIT_NAME_KEYS)[Type], unknown> }
  : { context?: Record<string, unknown> };

export type AuditService = {
  /** Writes in the transaction of the change, so that no change is committed without its record. */
  record(trx: Trx, origin: AuditOrigin, entries: AuditEntry | AuditEntry[]): Promise<void>;
};

/** Bounds the size of one statement: revoking a license may disconnect thousands of sites. */
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
        context: {
          ...entry.context,
          via: origin.via,
          ...(origin.token && { token: origin.token }),
        },
        ip: origin.ip ?? null,
        request_id: origin.requestId ?? null,
      }));
      for (let start = 0; start < records.length; start += RECORDS_PER_STATEMENT) {
        const batch = records.slice(start, start + RECORDS_PER_STATEMENT);
        const stored = await insertAuditRecords(trx, batch);
        // The hash covers the stored row with its id, so the mark is valid for no other record.
        await insertMarks(
          trx,
          stored.map((each) => ({ record_id: each.id, record_hash: hashes.hashRecord(each) })),
        );
      }
    },
  };
}
