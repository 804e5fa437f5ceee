import type { Database, Trx } from '../../platform/database/handles.ts';
import { lockSetting, readSetting, writeSetting } from '../../platform/database/settings.ts';

/** The last scheduled backup. It is in the database, because the next one may run in another process. */
export type LastBackup = { at: Date; succeeded: boolean };

const SETTING = 'last_backup';

export async function findLastBackup(db: Database): Promise<LastBackup | null> {
  return parse(await readSetting(db, SETTING));
}

/** Another process cannot save its backup until the transaction ends. */
export async function lockLastBackup(trx: Trx): Promise<LastBackup | null> {
  return parse(await lockSetting(trx, SETTING));
}

function parse(stored: string | undefined): LastBackup | null {
  if (stored === undefined) return null;
  const { at, succeeded } = JSON.parse(stored);
  return { at: new Date(at), succeeded };
}

export function saveLastBackup(db: Database, last: LastBackup): Promise<void> {
  const value = { at: last.at.toISOString(), succeeded: last.succeeded };
  return writeSetting(db, SETTING, JSON.stringify(value));
}
