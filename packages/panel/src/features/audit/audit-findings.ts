import type { SealedHead } from './audit-head-file.ts';
import type { BrokenRecord } from './audit-verification.ts';
import type { FirstMissing } from './first-missing.ts';

/** A problem of the audit log, with a message for the operator. */
export type AuditFinding = {
  /** Alarm: records are missing or were changed. Notice: Steward cannot detect whether they are. */
  severity: 'alarm' | 'notice';
  problem:
    | 'records_missing'
    | 'chain_broken'
    | 'file_invalid'
    | 'file_missing'
    | 'file_unusable'
    | 'unguarded';
  /** The first missing or changed record, if known. */
  record_id: number | null;
  message: string;
};

const ACCEPT = 'npx steward audit accept-head --reason "…"';

export function recordsMissing(first: FirstMissing, sealed: SealedHead): AuditFinding {
  const { record_id, seq, after_record_id } = first;
  const place =
    record_id === null
      ? `Audit records after record ${after_record_id} are missing. The first missing record is number ${seq} in the hash chain.`
      : `Audit records are missing: record ${record_id} is the first. All records after record ${after_record_id} are affected.`;
  return {
    severity: 'alarm',
    problem: 'records_missing',
    record_id,
    message: `${place} When the log was sealed at ${sealed.sealed_at}, it had ${sealed.records} records, up to record ${sealed.record_id}. If you restored an older backup, accept its log with ${ACCEPT}. If not, records were removed outside Steward: compare the log with a backup.`,
  };
}

export function chainBroken(broken: BrokenRecord): AuditFinding {
  const { record_id, message } = broken;
  return { severity: 'alarm', problem: 'chain_broken', record_id, message };
}

export function fileInvalid(path: string): AuditFinding {
  return {
    severity: 'alarm',
    problem: 'file_invalid',
    record_id: null,
    message: `The sealed audit head in ${path} is damaged or was not written by this panel. Audit records may be missing. Restore the file from a backup, or compare the log with a backup and accept it with ${ACCEPT}.`,
  };
}

export function fileMissing(path: string, created: SealedHead): AuditFinding {
  return {
    severity: 'notice',
    problem: 'file_missing',
    record_id: null,
    message: `The sealed audit head in ${path} was missing: the data directory is new, or the file was removed. Steward cannot detect records that were removed before. The log now has ${created.records} records, up to record ${created.record_id}. If this is correct, confirm it with ${ACCEPT}.`,
  };
}

export function fileUnusable(path: string, error: Error): AuditFinding {
  return {
    severity: 'notice',
    problem: 'file_unusable',
    record_id: null,
    message: `Steward cannot seal the audit head in ${path} (${error.message}). Removed audit records may go undetected. Set DATA_DIR to a folder that the panel can write to.`,
  };
}

export function unguarded(tables: string[]): AuditFinding {
  return {
    severity: 'alarm',
    problem: 'unguarded',
    record_id: null,
    message: `The trigger that protects audit records is disabled or missing: ${tables.join(', ')}. Records can be changed.`,
  };
}
