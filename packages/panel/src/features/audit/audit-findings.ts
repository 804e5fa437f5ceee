import type { SealedHead } from './audit-head-file.ts';
import type { BrokenRecord } from './audit-verification.ts';
import type { FirstMissing } from './first-missing.ts';

/** What is wrong with the audit log, in words for the operator. */
export type AuditFinding = {
  /** An alarm: records are missing or were changed. A notice: it cannot be told whether they are. */
  severity: 'alarm' | 'notice';
  problem:
    | 'records_missing'
    | 'chain_broken'
    | 'file_invalid'
    | 'file_missing'
    | 'file_unusable'
    | 'unguarded';
  /** The first record that is missing or was changed, where it is known. */
  record_id: number | null;
  message: string;
};

const ACCEPT = 'npx steward audit accept-head --reason "…"';

export function recordsMissing(first: FirstMissing, sealed: SealedHead): AuditFinding {
  const { record_id, seq, after_record_id } = first;
  const place =
    record_id === null
      ? `Audit records after record ${after_record_id} are missing; the first missing one is number ${seq} in the chain.`
      : `Audit records are missing: record ${record_id} is the first, and all after record ${after_record_id} are affected.`;
  return {
    severity: 'alarm',
    problem: 'records_missing',
    record_id,
    message: `${place} The log had ${sealed.records} records, up to record ${sealed.record_id}, when it was sealed at ${sealed.sealed_at}, and the database no longer has them all. If you restored an older backup, accept its log with ${ACCEPT}. If not, somebody removed records: compare with a backup.`,
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
    message: `The sealed audit head in ${path} is damaged or was not written by this panel, so audit records may be missing. Restore the file from a backup, or compare the log with a backup and accept it with ${ACCEPT}.`,
  };
}

export function fileMissing(path: string, begun: SealedHead): AuditFinding {
  return {
    severity: 'notice',
    problem: 'file_missing',
    record_id: null,
    message: `There was no sealed audit head in ${path}: the data directory is new, or the file was removed. Records that were cut off before cannot be noticed; the log now has ${begun.records} records, up to record ${begun.record_id}. If that is right, confirm it with ${ACCEPT}.`,
  };
}

export function fileUnusable(path: string, error: Error): AuditFinding {
  return {
    severity: 'notice',
    problem: 'file_unusable',
    record_id: null,
    message: `The audit head cannot be sealed in ${path} (${error.message}), so cut off audit records may go unnoticed. Make DATA_DIR a folder that the panel may write to.`,
  };
}

export function unguarded(tables: string[]): AuditFinding {
  return {
    severity: 'alarm',
    problem: 'unguarded',
    record_id: null,
    message: `The trigger that keeps audit records from being changed is switched off or gone: ${tables.join(', ')}.`,
  };
}
