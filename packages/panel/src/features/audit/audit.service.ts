import type { Trx } from '../../database/tables.ts';
import type { Clock } from '../../lib/clock.ts';
import { insertAuditRecords } from './audit.repository.ts';

/** Who is behind a change and how it reached the panel. */
export type Origin = {
  /** A user's id, or `system` for sites, the command line and people who are not signed in. */
  actor: string;
  via: 'license_api' | 'command_line' | 'panel';
  ip?: string;
  requestId?: string;
};

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

export function createAuditService({ clock }: { clock: Clock }): AuditService {
  return {
    record: (trx, origin, entries) =>
      insertAuditRecords(
        trx,
        [entries].flat().map((entry) => ({
          at: clock.now(),
          actor: origin.actor,
          action: entry.action,
          entity_type: entry.entityType,
          entity_id: String(entry.entityId),
          site_id: entry.siteId ?? null,
          context: { ...entry.context, via: origin.via },
          ip: origin.ip ?? null,
          request_id: origin.requestId ?? null,
        })),
      ),
  };
}
