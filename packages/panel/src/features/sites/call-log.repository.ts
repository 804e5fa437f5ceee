import type { SiteAlarm } from '@steward/contract';
import type { Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { AcknowledgedEntry } from './verify-call-log.ts';

export type CallLogState = { acknowledged: AcknowledgedEntry | null; alarm: SiteAlarm | null };

/** Locks the site, so that two reports are not both compared with the same acknowledged entry. */
export async function lockCallLog(trx: Trx, siteId: number): Promise<CallLogState> {
  const row = await tables(trx)
    .selectFrom('sites')
    .select(['call_log_sequence', 'call_log_hash', 'call_log_at', 'alarm'])
    .where('id', '=', siteId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const { call_log_sequence: sequence, call_log_hash: hash, call_log_at: at, alarm } = row;
  const hasEntry = sequence !== null && hash !== null && at !== null;
  return { acknowledged: hasEntry ? { sequence, hash: hash.toString('hex'), at } : null, alarm };
}

/** `entry` is null if the site keeps no call log. */
export async function writeAcknowledgedEntry(
  trx: Trx,
  siteId: number,
  entry: AcknowledgedEntry | null,
): Promise<void> {
  const change = {
    call_log_sequence: entry?.sequence ?? null,
    call_log_hash: entry && Buffer.from(entry.hash, 'hex'),
    call_log_at: entry?.at ?? null,
  };
  await tables(trx).updateTable('sites').set(change).where('id', '=', siteId).execute();
}

export type Alarm = { kind: SiteAlarm; at: Date; route: string | null; calledAt: Date | null };

/** Null clears the alarm. */
export async function writeAlarm(trx: Trx, siteId: number, alarm: Alarm | null): Promise<void> {
  const change = {
    alarm: alarm?.kind ?? null,
    alarm_at: alarm?.at ?? null,
    alarm_route: alarm?.route ?? null,
    alarm_called_at: alarm?.calledAt ?? null,
  };
  await tables(trx).updateTable('sites').set(change).where('id', '=', siteId).execute();
}
