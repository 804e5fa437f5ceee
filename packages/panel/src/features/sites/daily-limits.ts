/** What one site changed on one day (UTC) with one credential. */
export type DailyUse = {
  changed_reports: number;
  audited_changes: number;
  /** Reports of errors without an inventory. */
  error_reports: number;
};

export type DailyLimit = keyof DailyUse;

/** Far more than a site needs, and few enough that a hostile site cannot fill the disk of the panel. */
export const DAILY_LIMITS: Readonly<DailyUse> = {
  changed_reports: 200,
  audited_changes: 50,
  error_reports: 60,
};

/** Returns the limit that this use exceeds; null if it is within all limits. */
export function findExceededLimit(use: DailyUse): DailyLimit | null {
  if (use.changed_reports > DAILY_LIMITS.changed_reports) return 'changed_reports';
  if (use.audited_changes > DAILY_LIMITS.audited_changes) return 'audited_changes';
  if (use.error_reports > DAILY_LIMITS.error_reports) return 'error_reports';
  return null;
}
