import { count, formatDay } from '../lib/format.ts';
import { text } from './audit-sentence-parts.ts';
import type { DescribedRecord, Sentence } from './audit-sentence-types.ts';

const channelOf = ({ entity_id, context }: DescribedRecord): string =>
  text(context.name) ?? entity_id ?? '';

/** The sentences about the panel: its signing keys, audit log, backups and notification channels. */
export const auditPanelSentences = {
  'signing_key.rotate': () =>
    'created a new signing key; Steward signs calls with both keys until the previous key is retired',
  'signing_key.retire': (record) => `retired signing key ${record.entity_id}`,

  'audit_log.accept_head': (record) => {
    const { problem, reason } = record.context;
    const firstMissing =
      record.entity_id && record.entity_id !== '0' ? record.entity_id : undefined;
    const log =
      problem === 'records_missing'
        ? `the audit log although records are missing${firstMissing ? ` (first missing record: ${firstMissing})` : ''}`
        : 'the current audit log';
    return `accepted ${log}. Reason: ${text(reason) ?? 'none given'}`;
  },
  'audit_log.detach': (record) =>
    `exported and detached ${count(Number(record.context.records ?? 0), 'audit record')} from before ${record.entity_id}`,

  'backup.create': (record) => `created the backup ${record.entity_id}`,
  'backup.download': (record) => `downloaded the backup ${record.entity_id}`,
  'backup.fail': (record) =>
    `could not create the backup ${record.entity_id}. Reason: ${text(record.context.reason) ?? 'unknown'}`,
  'backup.restore': (record) => {
    const from = text(record.context.created_at);
    return `restored the panel from the backup ${record.entity_id}${from ? `, created on ${formatDay(from)}` : ''}`;
  },

  'notification_channel.create': (record) =>
    `created the notification channel ${channelOf(record)}`,
  'notification_channel.update': (record) => {
    const { enabled, url_changed } = record.context;
    const channel = `the notification channel ${channelOf(record)}`;
    if (enabled === undefined) return `changed ${url_changed ? 'the URL of ' : ''}${channel}`;
    return `turned ${enabled ? 'on' : 'off'} ${channel}${url_changed ? ' and changed its URL' : ''}`;
  },
  'notification_channel.delete': (record) =>
    `deleted the notification channel ${channelOf(record)}`,
  'notification_channel.reveal_secret': (record) =>
    `revealed the signing secret of the notification channel ${channelOf(record)}`,
  'notification_channel.disable': (record) =>
    `turned off the notification channel ${channelOf(record)}: its receiver responded with 410 (gone)`,
} as const satisfies Record<string, Sentence>;
