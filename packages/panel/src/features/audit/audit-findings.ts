import type { SealedHead } from './audit-head-file.ts';
import type { BrokenRecord } from './audit-verification.ts';
import type { FirstMissing } from './first-missing.ts';

/** A problem with the audit log. */
export type AuditFinding = {
  /** Alarm: records were, or may have been, removed or changed. Notice: verification is incomplete, or a partition is missing. */
  severity: 'alarm' | 'notice';
  problem:
    | 'records_missing'
    | 'chain_broken'
    | 'file_invalid'
    | 'file_missing'
    | 'file_unusable'
    | 'trigger_missing'
    | 'partition_missing';
  /** The first missing or changed record, if known. */
  record_id: number | null;
  /** For the operator: what happened and what to do. */
  message: string;
};

const ACCEPT_COMMAND = 'npx steward audit accept-head --reason "…"';

export function describeMissingRecords(first: FirstMissing, sealed: SealedHead): AuditFinding {
  const { record_id, seq, after_record_id } = first;
  const position = `position ${seq} in the hash chain`;
  const firstMissing = record_id === null ? position : `record ${record_id} (${position})`;
  return {
    severity: 'alarm',
    problem: 'records_missing',
    record_id,
    message: `Audit records after record ${after_record_id} are missing. First missing: ${firstMissing}. When the log was sealed at ${sealed.sealed_at}, it had ${sealed.records} records, up to record ${sealed.record_id}. If you restored an older backup, accept its log with ${ACCEPT_COMMAND}. If not, records were removed outside Steward: compare the log with a backup.`,
  };
}

export function describeBrokenChain(broken: BrokenRecord): AuditFinding {
  const { record_id, message } = broken;
  return { severity: 'alarm', problem: 'chain_broken', record_id, message };
}

export function describeInvalidFile(path: string): AuditFinding {
  return {
    severity: 'alarm',
    problem: 'file_invalid',
    record_id: null,
    message: `The sealed audit head in ${path} is damaged or was not written by this panel. Audit records may be missing. Restore the file from a backup, or compare the log with a backup and accept it with ${ACCEPT_COMMAND}.`,
  };
}

export function describeMissingFile(path: string, created: SealedHead): AuditFinding {
  return {
    severity: 'notice',
    problem: 'file_missing',
    record_id: null,
    message: `The sealed audit head in ${path} was missing: the data directory is new, or the file was removed. Steward cannot detect records that were removed before. The log now has ${created.records} records, up to record ${created.record_id}. If this is correct, confirm it with ${ACCEPT_COMMAND}.`,
  };
}

export function describeUnusableFile(path: string, error: Error): AuditFinding {
  return {
    severity: 'notice',
    problem: 'file_unusable',
    record_id: null,
    message: `Steward cannot seal the audit head in ${path} (${error.message}). Removed audit records may go undetected. Set DATA_DIR to a folder that the panel can write to.`,
  };
}

export function describeMissingTrigger(tables: string[]): AuditFinding {
  return {
    severity: 'alarm',
    problem: 'trigger_missing',
    record_id: null,
    message: `The append-only trigger is disabled or missing on these tables: ${tables.join(', ')}. Records can be changed. Find out who changed the triggers, and restore them: docs/operate.md, "Append-only triggers".`,
  };
}

export function describeMissingPartition(): AuditFinding {
  return {
    severity: 'notice',
    problem: 'partition_missing',
    record_id: null,
    message:
      'The audit log has no partition for the next month. Records of that month are stored, but cannot be detached by month. Set MIGRATION_DATABASE_URL to the role that owns the tables, and run npx steward migrate.',
  };
}
