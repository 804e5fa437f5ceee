import type {
  ChannelKind,
  DeliveryStatus,
  EmailMode,
  NotificationEventType,
} from '@steward/contract';
import { count } from '../lib/format.ts';
import type { MailState } from '../lib/mail-state.ts';

const eventTypes: Record<NotificationEventType, string> = {
  'run.finished_with_failures': 'Run finished with failures',
  'rollout.halted': 'Rollout halted',
  'version.quarantined': 'Version quarantined',
  'version.troubled': 'After an update, requests of visitors fail',
  'site.down': 'Site down',
  'site.up': 'Site up again',
  'license.ending': 'License expires soon (30 days and 7 days before)',
  'license.limit_reached': 'Site limit of a license reached',
  'audit.verification_failed': 'Audit verification failed',
  'backup.failed': 'Scheduled backup failed',
};

const kinds: Record<ChannelKind | 'email', string> = {
  slack: 'Slack',
  webhook: 'Webhook',
  email: 'E-mail',
};

const statuses: Record<DeliveryStatus, string> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const modes: Record<EmailMode, string> = {
  off: 'No e-mail',
  immediate: 'One e-mail for each event',
  daily: 'One e-mail a day',
};

export const notificationsMessages = {
  title: 'Notifications',
  note: 'Messages when something needs attention',
  events: 'Events',
  eventTypes,
  kinds,

  email: {
    title: 'E-mail to you',
    label: 'How often',
    modes,
    hint: (address: string) => `Sent to ${address}. The daily e-mail is sent at 07:00 UTC.`,
    save: 'Save changes',
    saved: 'Your e-mail settings are saved.',
    test: 'Send test e-mail',
    notConfigured:
      'E-mail is not configured. Set SMTP_URL and SMTP_FROM on the server of the panel, then restart Steward.',
  },

  mail: {
    title: 'Mail server',
    states: {
      not_configured: 'Not configured',
      unused: 'Not tested',
      working: 'Working',
      failing: 'Failing',
    } satisfies Record<MailState, string>,
    nextSteps: {
      not_configured:
        'Set SMTP_URL and SMTP_FROM on the server of the panel, then restart Steward.',
      unused: 'Steward has sent no e-mail in the last 90 days. Send a test e-mail.',
      working: null,
      failing:
        'Correct the cause, or change SMTP_URL and restart Steward. Then send a test e-mail.',
    } satisfies Record<MailState, string | null>,
    status: 'Status',
    server: 'Server',
    sender: 'Sender',
    links: 'Links',
    localLinks:
      'This address works only on the server of the panel or in its private network. For users elsewhere, set BASE_URL, then restart Steward.',
    lastSent: 'Last sent',
    lastFailure: 'Last failure',
    to: (recipient: string) => `to ${recipient}`,
    test: 'Send test e-mail',
    testHint: (address: string) => `To your address, ${address}`,
  },

  channels: {
    title: 'Channels',
    add: 'Add channel',
    emptyTitle: 'No channels yet',
    empty: 'A channel sends events to Slack, or to your own program as a signed webhook.',
    columns: { name: 'Name', events: 'Events', status: 'Status', actions: 'Actions' },
    address: (kind: string, host: string) => `${kind}, ${host}`,
    allEvents: 'All events',
    eventCount: (chosen: number) => count(chosen, 'event'),
    on: 'On',
    failing: 'Failing',
    off: 'Off',
    gone: 'Off (receiver gone)',
    menu: (name: string) => `Actions for ${name}`,
    edit: 'Edit channel',
    turnOn: 'Turn on',
    turnOff: 'Turn off',
    turnedOn: (name: string) => `${name} is on.`,
    turnedOff: (name: string) => `${name} is off.`,
    test: 'Send test',
    reveal: 'Show signing secret',
    delete: 'Delete channel',
    deleteTitle: (name: string) => `Delete ${name}`,
    deleteEffect: 'Waiting messages are cancelled. The delivery log keeps its entries for 90 days.',
    deleted: (name: string) => `${name} is deleted.`,
  },

  test: {
    delivered: (recipient: string) => `The test message to ${recipient} was delivered.`,
    failed: (recipient: string, error: string) =>
      `The test message to ${recipient} was not delivered. ${error}`,
  },

  dialog: {
    addTitle: 'Add channel',
    editTitle: (name: string) => `Edit ${name}`,
    kind: 'Type',
    name: 'Name',
    url: 'URL',
    urlHints: {
      slack: 'The address of an incoming webhook of Slack, Mattermost or a compatible service.',
      webhook:
        'Steward sends each event by POST. The next step shows the secret with which your server checks its signature (Standard Webhooks 1.0).',
    } satisfies Record<ChannelKind, string>,
    keepUrl: (host: string) => `Leave empty to keep the current URL on ${host}.`,
    submitAdd: 'Add channel',
    submitEdit: 'Save changes',
    saved: (name: string) => `${name} is saved.`,
    added: (name: string) => `${name} is added`,
  },

  secret: {
    label: 'Signing secret',
    title: 'Signing secret',
    note: 'Your receiver needs this secret to verify that messages come from this panel. The audit log records that you viewed it.',
    next: 'Enter this secret in your receiver, which needs it to verify that messages come from this panel.',
    submit: 'Show signing secret',
  },

  log: {
    title: 'Delivery log',
    statusFilter: 'Status',
    allStatuses: 'All',
    statuses,
    columns: {
      message: 'Message',
      recipient: 'Recipient',
      status: 'Status',
      time: 'Time',
      actions: 'Actions',
    },
    attempts: (attempts: number) => count(attempts, 'attempt'),
    httpStatus: (status: number) => `HTTP ${status}`,
    /** The time follows. */
    nextAttempt: 'Next attempt',
    retry: 'Retry now',
    retryOf: (subject: string) => `Retry now: ${subject}`,
    retried: (recipient: string) => `The message to ${recipient} was delivered.`,
    retryFailed: (recipient: string, error: string) =>
      `The message to ${recipient} was not delivered. ${error}`,
    emptyTitle: 'No messages yet',
    empty: 'Each message appears here with its result. Entries are kept for 90 days.',
    noMatchTitle: 'No messages with this status.',
    noMatch: 'Choose another status, or clear the filter.',
    loadOlder: 'Load older messages',
  },

  warnings: {
    goneTitle: (name: string) => `The notification channel ${name} was turned off`,
    gone: (host: string) =>
      `${host} responded with status 410: it wants no further messages. Nothing is sent there until you turn the channel on again.`,
    smtpTitle: 'E-mail notifications are not sent',
    smtp: (users: number) =>
      `${count(users, 'user')} ${users === 1 ? 'wants' : 'want'} e-mail, but e-mail is not configured. Set SMTP_URL and SMTP_FROM, then restart Steward.`,
    open: 'Open notifications',
  },
} as const;
