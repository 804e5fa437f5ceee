/**
 * Whether a backup contains the rows of a table. Short-lived state is left out: after a restore, an ended session, a used
 * link or a used challenge must not become valid again, and old wrong passwords must not lock users out.
 */
const CONTENT: Record<string, 'rows' | 'left_out'> = {
  sessions: 'left_out',
  one_time_links: 'left_out',
  verifications: 'left_out',
  password_attempts: 'left_out',
  plugin_links: 'left_out',
  package_links: 'left_out',
  site_probes: 'left_out',
  site_daily_use: 'left_out',
  access_grants: 'rows',
  access_tokens: 'rows',
  audit_chain: 'rows',
  audit_checkpoints: 'rows',
  audit_log: 'rows',
  audit_unsealed: 'rows',
  backup_codes: 'rows',
  client_logos: 'rows',
  client_memberships: 'rows',
  clients: 'rows',
  enrolment_codes: 'rows',
  enrolments: 'rows',
  item_error_days: 'rows',
  item_error_reports: 'rows',
  item_errors: 'rows',
  license_activations: 'rows',
  licenses: 'rows',
  listed_sites: 'rows',
  notification_channels: 'rows',
  notification_deliveries: 'rows',
  notification_emails: 'rows',
  notification_events: 'rows',
  notification_gathered_events: 'rows',
  outages: 'rows',
  package_chunks: 'rows',
  package_uploads: 'rows',
  packages: 'rows',
  panel_settings: 'rows',
  passkeys: 'rows',
  plans: 'rows',
  quarantined_versions: 'rows',
  repeated_checks: 'rows',
  repeated_events: 'rows',
  rollout_rings: 'rows',
  rollout_sites: 'rows',
  rollout_splits: 'rows',
  rollouts: 'rows',
  run_tasks: 'rows',
  runs: 'rows',
  saved_views: 'rows',
  schedules: 'rows',
  seat_moves: 'rows',
  services: 'rows',
  signing_keys: 'rows',
  site_calls: 'rows',
  site_days: 'rows',
  site_reachability: 'rows',
  site_software: 'rows',
  site_tags: 'rows',
  sites: 'rows',
  software: 'rows',
  software_counts: 'rows',
  software_versions: 'rows',
  tag_counts: 'rows',
  tags: 'rows',
  task_health: 'rows',
  totp_secrets: 'rows',
  update_rules: 'rows',
  update_watches: 'rows',
  user_credentials: 'rows',
  users: 'rows',
  version_history: 'rows',
};

/** The lock of the migrator. Each database has its own. */
const MIGRATION_LOCK_TABLE = 'kysely_migration_lock';
export const MIGRATION_TABLE = 'kysely_migration';

export const isLeftOut = (table: string) =>
  table === MIGRATION_LOCK_TABLE || (isKnown(table) && CONTENT[table] === 'left_out');

export function findUnknownTables(tables: string[]): string[] {
  const own = [MIGRATION_TABLE, MIGRATION_LOCK_TABLE];
  return tables.filter((table) => !isKnown(table) && !own.includes(table));
}

const isKnown = (table: string) => Object.hasOwn(CONTENT, table);
