import {
  type DeliveriesQuery,
  type DeliveryStatus,
  describeNotification,
  type NotificationDelivery,
  PASSWORD_CHANGED,
  PASSWORD_RESET_SUBJECT,
  TEST_NOTIFICATION,
} from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { decodeCursor, pageLimit, takePage } from '../../platform/page.ts';
import { type DeliveryView, findDeliveryView, listDeliveries } from './deliveries.repository.ts';

export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

const LIST = 'notification_deliveries';

/** Shows each message with the result of its attempts. */
export function createDeliveryLog({ db }: { db: Database }) {
  return {
    async list(query: DeliveriesQuery) {
      const limit = pageLimit(query);
      const position = decodeCursor(LIST, query, () => true);
      const before = position?.id ?? Number.MAX_SAFE_INTEGER;
      const status: DeliveryStatus | undefined = query.status;
      const rows = await listDeliveries(db, { before, limit: limit + 1, status });
      const { kept, next_cursor } = takePage(
        rows.map((row) => ({ ...row, key: '' })),
        limit,
        LIST,
      );
      return { deliveries: kept.map(toDelivery), next_cursor };
    },

    async find(id: number): Promise<NotificationDelivery> {
      return toDelivery(await findDeliveryView(db, id));
    },
  };
}

function toDelivery(row: DeliveryView): NotificationDelivery {
  return {
    id: row.id,
    type: row.type,
    subject: subjectOf(row),
    recipient: row.recipient,
    channel_id: row.channel_id,
    kind: row.kind,
    status: row.status,
    attempts: row.attempts,
    http_status: row.http_status,
    error: row.error,
    created_at: row.created_at.toISOString(),
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    delivered_at: row.delivered_at?.toISOString() ?? null,
  };
}

function subjectOf({ type, event_type, event_data, events }: DeliveryView): string {
  if (type === 'test') return TEST_NOTIFICATION.subject;
  if (type === 'password_reset') return PASSWORD_RESET_SUBJECT;
  if (type === 'password_changed') return PASSWORD_CHANGED.subject;
  if (events > 1) return `${events.toLocaleString('en-US')} notifications from Steward`;
  if (event_type === null || event_data === null) return 'The event was deleted';
  return describeNotification({ type: event_type, data: event_data }).subject;
}
