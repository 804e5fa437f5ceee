import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { readSetting, writeSetting } from '../../platform/database/settings.ts';
import { parseResult } from './last-backup.repository.ts';
import type { RequestedBackup } from './requested-backup.ts';

const SETTING = 'requested_backup';

/** Announces a request to the workers. */
export const REQUEST_CHANNEL = 'steward_backup_requests';

/** The last requested backup. */
export async function findRequest(db: Database): Promise<RequestedBackup | null> {
  return parse(await readSetting(db, SETTING));
}

/** Another process can neither add nor change a request until the transaction ends, also if there is none yet. */
export async function lockRequest(trx: Trx): Promise<RequestedBackup | null> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('steward: requested backup', 0))`.execute(
    trx,
  );
  return parse(await readSetting(trx, SETTING));
}

function parse(stored: string | undefined): RequestedBackup | null {
  if (stored === undefined) return null;
  const { requestedAt, actor, attempts, heartbeatAt = null, result } = JSON.parse(stored);
  return {
    requestedAt: new Date(requestedAt),
    actor,
    attempts,
    heartbeatAt: heartbeatAt && new Date(heartbeatAt),
    result: result && parseResult(result),
  };
}

export function saveRequest(trx: Trx, request: RequestedBackup): Promise<void> {
  return writeSetting(trx, SETTING, JSON.stringify(request));
}

/** Wakes a worker after the commit. */
export async function announceRequest(trx: Trx): Promise<void> {
  await sql`SELECT pg_notify(${REQUEST_CHANNEL}, '')`.execute(trx);
}
