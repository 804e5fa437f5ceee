import type { Database } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

/** Finds the newest e-mail that the mail server accepted. */
export function findLastSent(db: Database) {
  return tables(db)
    .selectFrom('notification_deliveries')
    .select(['delivered_at', 'recipient'])
    .where('kind', '=', 'email')
    .where('delivered_at', 'is not', null)
    .orderBy('delivered_at', 'desc')
    .limit(1)
    .$narrowType<{ delivered_at: Date }>()
    .executeTakeFirst();
}

/** Finds the newest e-mail whose last attempt failed. A cancelled one says nothing about the mail server. */
export function findLastFailure(db: Database) {
  return tables(db)
    .selectFrom('notification_deliveries')
    .select(['last_attempt_at', 'recipient', 'error'])
    .where('kind', '=', 'email')
    .where('error', 'is not', null)
    .where('last_attempt_at', 'is not', null)
    .where('status', '!=', 'cancelled')
    .orderBy('last_attempt_at', 'desc')
    .limit(1)
    .$narrowType<{ last_attempt_at: Date; error: string }>()
    .executeTakeFirst();
}
