import type { Database, Trx } from '../../platform/database/handles.ts';
import { lockSetting, readSetting, writeSetting } from '../../platform/database/settings.ts';

/** The result of a backup. `file` and `bytes`: null if it failed. `reason`: null if it succeeded. */
export type BackupResult = {
  at: Date;
  succeeded: boolean;
  file: string | null;
  bytes: number | null;
  reason: string | null;
};

const SETTING = 'last_backup';

/** The last scheduled backup. It is in the database, because the next one may run in another process. */
export async function findLastBackup(db: Database): Promise<BackupResult | null> {
  return parse(await readSetting(db, SETTING));
}

/** Another process cannot save its backup until the transaction ends. */
export async function lockLastBackup(trx: Trx): Promise<BackupResult | null> {
  return parse(await lockSetting(trx, SETTING));
}

const parse = (stored: string | undefined): BackupResult | null =>
  stored === undefined ? null : parseResult(JSON.parse(stored));

/** Earlier versions stored only `at` and `succeeded`. */
export function parseResult(stored: Record<string, unknown>): BackupResult {
  const { at, succeeded, file = null, bytes = null, reason = null } = stored;
  return { at: new Date(String(at)), succeeded, file, bytes, reason } as BackupResult;
}

export function saveLastBackup(db: Database, last: BackupResult): Promise<void> {
  return writeSetting(db, SETTING, JSON.stringify(last));
}
