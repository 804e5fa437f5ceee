import { count, formatUtcDay } from '../lib/format.ts';

/** The page of the audit log. The sentences about records are in audit-sentences.ts and the files that it combines. */
export const auditMessages = {
  title: 'Audit log',
  note: 'All actions, newest first. Records cannot be changed; they show users, sites and licenses by their present names.',
  export: (format: string) => `Export ${format.toUpperCase()}`,
  emptyTitle: 'No records yet',
  empty: 'Every sign-in, change and update appears here.',
  noMatchTitle: 'No record matches these filters',
  noMatch: 'Try other dates or fewer filters.',
  noMatchYet: 'No match in the newest records. Older records may match.',
  loadOlder: 'Load older records',
  searchOlder: 'Search older records',
  completeFrom: (time: string) =>
    `The log is complete from ${time} on. Older records were detached; the operator of this panel has their export.`,

  filters: {
    label: 'Filter the audit log',
    actor: 'Who',
    anyActor: 'Anyone',
    system: 'No user (a site, the command line, Steward, an unauthenticated user)',
    type: 'Type',
    anyType: 'Any type',
    action: 'Action',
    anyAction: 'Any action',
    site: 'Site',
    anySite: 'Any site',
    from: 'From',
    to: 'To',
    ranges: 'Date range',
    lastDays: (days: number) => (days === 1 ? 'Today' : `Last ${days} days`),
    text: 'Text',
    textPlaceholder: 'Search in the details',
  },

  /** For a record that has the number of equal events. */
  counted: (events: number, day: string, sentence: string) =>
    `counted ${count(events, 'event')} on ${formatUtcDay(day)} without ${events === 1 ? 'a record of its' : 'records of their'} own: ${sentence}`,

  records: 'Records',
  showDetails: (sentence: string) => `Details: ${sentence.trim()}`,
  details: {
    reason: 'Reason',
    site: 'Site',
    siteWithoutName: (id: number | string) => `Site ${id}`,
    items: 'Software',
    event: 'Event',
    actor: 'By',
    address: 'IP address',
    request: 'Request ID',
    record: 'Record ID',
    context: 'Details',
    none: 'none',
  },

  actors: {
    user: (id: string) => `User ${id}`,
    withToken: (user: string, token: string) => `${user} (token ${token})`,
    /** For records without a user and without a known `context.via`. */
    fallback: 'Steward',
    /** Keyed by `context.via`, for records without a user. */
    via: {
      command_line: 'The command line',
      license_api: 'A site',
      panel: 'An unauthenticated user',
      worker: 'Steward',
    },
  },
  completedSetup: 'completed setup',
  /** Keyed by `context.outcome`. */
  outcomes: {
    succeeded: 'Succeeded',
    partial: 'Partly failed',
    failed: 'Failed',
    unverified: 'Unverified',
    unknown: 'Unknown',
    refused: 'Refused',
    cancelled: 'Cancelled',
  },
  /** The entity types, in the order of the filter. */
  types: {
    remote_update: 'Site updates',
    remote_plugin: 'Plugin actions',
    remote_site: 'Syncs',
    package: 'Packages',
    update_rule: 'Rules',
    quarantined_version: 'Quarantine',
    run: 'Runs',
    schedule: 'Schedules',
    rollout: 'Rollouts',
    site: 'Sites',
    client: 'Clients',
    activation: 'Activations',
    license: 'Licenses',
    plan: 'Plans',
    signing_key: 'Signing keys',
    user: 'Users',
    access: 'Site access',
    sign_in: 'Sign-ins',
    session: 'Sessions',
    access_token: 'Access tokens',
    setup_link: 'Setup links',
    notification_channel: 'Notification channels',
    setting: 'Settings',
    audit_log: 'Audit log',
    backup: 'Backups',
  },
} as const;
