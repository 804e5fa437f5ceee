import type { Generated, GeneratedAlways } from 'kysely';

/** Only this feature writes these tables. */
export type AuditTables = {
  audit_log: {
    id: GeneratedAlways<number>;
    at: Date;
    actor: string;
    action: string;
    entity_type: string;
    entity_id: string;
    site_id: number | null;
    context: Record<string, unknown>;
    ip: string | null;
    request_id: string | null;
    previous_seq: Generated<number | null>;
    previous_hash: Generated<Buffer | null>;
  };
  audit_chain: {
    seq: number;
    record_id: number;
    record_hash: Buffer;
    previous_hash: Buffer;
    hash: Buffer;
  };
  audit_unsealed: { record_id: number; record_hash: Buffer | null };
  audit_checkpoints: { id: GeneratedAlways<number>; content: string; mac: string };
  /** Events that another party can repeat at will, counted per day (UTC) until one audit record has their number. */
  repeated_events: {
    /** A date, such as 2026-06-01. */
    day: string;
    key: string;
    count: number;
    recorded: number;
    action: string;
    entity_type: string;
    entity_id: string;
    site_id: number | null;
    context: Record<string, unknown>;
  };
};
