/** The first partition becomes the table again, with the records of all partitions. */
export const UNDO_AUDIT_PARTITIONS = [
  'ALTER TABLE audit_log DETACH PARTITION audit_log_first',
  'INSERT INTO audit_log_first SELECT * FROM audit_log',
  'DROP TABLE audit_log, audit_checkpoints',
  `DO $$ DECLARE name text; next_id bigint; BEGIN
    FOR name IN SELECT indexname FROM pg_indexes WHERE tablename = 'audit_log_first' LOOP
      EXECUTE format('ALTER INDEX %I RENAME TO %I', name, replace(name, 'audit_log_first_', 'audit_log_'));
    END LOOP;
    ALTER TABLE audit_log_first RENAME TO audit_log;
    SELECT coalesce(max(id), 0) + 1 INTO next_id FROM audit_log;
    -- A partition has the identity of its table from PostgreSQL 17 on, also after it was detached.
    ALTER TABLE audit_log ALTER COLUMN id DROP IDENTITY IF EXISTS;
    EXECUTE format('ALTER TABLE audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (START WITH %s)', next_id);
  END $$`,
  "DELETE FROM kysely_migration WHERE name = '0040_audit_partitions'",
];

/**
 * Undoes the migrations from `0018_software` on, one statement per entry, for tests that start with an older database.
 * For each new migration, add its undo statements at the start of the list.
 */
export const UNDO_SINCE_SOFTWARE = [
  'DROP FUNCTION granted_sites',
  'DROP TABLE access_tokens',
  'ALTER TABLE users DROP COLUMN bot_of',
  "DELETE FROM kysely_migration WHERE name = '0041_access_tokens'",
  ...UNDO_AUDIT_PARTITIONS,
  'ALTER TABLE schedules DROP COLUMN active_since',
  "DELETE FROM kysely_migration WHERE name = '0039_missed_windows'",
  'ALTER TABLE repeated_checks DROP COLUMN claimed_until',
  'DROP INDEX run_tasks_by_run_and_site',
  "DELETE FROM kysely_migration WHERE name = '0038_rollout_judgement'",
  'ALTER TABLE sites DROP COLUMN masked_fault',
  "DELETE FROM kysely_migration WHERE name = '0037_masked_faults'",
  'ALTER TABLE runs DROP COLUMN traceparent',
  "DELETE FROM kysely_migration WHERE name = '0036_traces'",
  'ALTER TABLE schedules RENAME COLUMN last_error_code TO last_error',
  "DELETE FROM kysely_migration WHERE name = '0035_schedule_failures'",
  "DELETE FROM kysely_migration WHERE name = '0034_accepted_trouble'",
  // Keeps `time_zone`, which 0032 adds.
  'ALTER TABLE sites DROP COLUMN preflight, DROP COLUMN preflight_at',
  "DELETE FROM kysely_migration WHERE name = '0033_preflight'",
  'ALTER TABLE run_tasks DROP COLUMN window_opens_at, DROP COLUMN window_closes_at',
  'ALTER TABLE rollouts DROP COLUMN schedule_id',
  'ALTER TABLE runs DROP COLUMN schedule_id',
  'ALTER TABLE sites DROP COLUMN time_zone',
  'DROP TABLE schedules',
  "DELETE FROM kysely_migration WHERE name = '0032_schedules'",
  'ALTER TABLE runs DROP COLUMN rollout_id, DROP COLUMN ring',
  'DROP TABLE rollout_sites, rollout_rings, rollouts',
  "DELETE FROM kysely_migration WHERE name = '0031_rollouts'",
  'DROP TRIGGER software_counts_record_versions ON software_counts',
  'DROP FUNCTION record_software_versions, delete_old_software_versions',
  'DROP TABLE update_rules, quarantined_versions, software_versions',
  'ALTER TABLE run_tasks DROP COLUMN held',
  "DELETE FROM kysely_migration WHERE name = '0029_rules'",
  'DROP TABLE notification_gathered_events, notification_deliveries, notification_emails, notification_channels',
  'DROP INDEX notification_events_by_time',
  "DELETE FROM kysely_migration WHERE name = '0028_notifications'",
  'DROP TABLE task_health, repeated_checks, site_reachability, outages, site_days',
  "DELETE FROM kysely_migration WHERE name = '0030_health'",
  'DROP TABLE notification_events',
  "DELETE FROM kysely_migration WHERE name = '0027_notification_events'",
  'DROP FUNCTION saved_versions',
  'DROP INDEX runs_without_updates',
  'DROP TABLE package_links, package_chunks, packages',
  "DELETE FROM kysely_migration WHERE name = '0026_packages'",
  'DROP TABLE plugin_links',
  "DELETE FROM kysely_migration WHERE name = '0025_plugin_links'",
  'DROP TRIGGER site_tags_add_software ON site_tags',
  'DROP TRIGGER site_tags_remove_software ON site_tags',
  'DROP FUNCTION count_tagged_software',
  'ALTER TABLE access_grants DROP COLUMN tag_id',
  'ALTER TABLE access_grants ADD CONSTRAINT access_grants_check CHECK (num_nonnulls(site_id, license_id) = 1)',
  'DROP TRIGGER sites_archive_software ON sites',
  'DROP FUNCTION archive_site_software',
  'DROP TRIGGER sites_change_software ON sites',
  'ALTER TABLE sites DROP COLUMN archived_at',
  `CREATE TRIGGER sites_change_software AFTER UPDATE OF inventory ON sites
    FOR EACH ROW WHEN (OLD.inventory IS DISTINCT FROM NEW.inventory) EXECUTE FUNCTION track_site_software()`,
  'ALTER TABLE licenses DROP COLUMN name, DROP COLUMN customer',
  "DELETE FROM kysely_migration WHERE name = '0024_connecting_sites'",
  'ALTER TABLE runs DROP CONSTRAINT runs_kind_check',
  "ALTER TABLE runs ADD CONSTRAINT runs_kind_check CHECK (kind IN ('update', 'plugin_action', 'sync'))",
  "DELETE FROM kysely_migration WHERE name = '0023_run_kinds'",
  'DROP INDEX run_tasks_by_update_time',
  "DELETE FROM kysely_migration WHERE name = '0022_update_counts'",
  'DROP TABLE enrolment_codes',
  "DELETE FROM kysely_migration WHERE name = '0021_enrolment_codes'",
  'DROP TABLE version_history',
  'DROP FUNCTION record_version CASCADE',
  "DELETE FROM kysely_migration WHERE name = '0020_version_history'",
  'ALTER TABLE run_tasks DROP COLUMN items',
  "DELETE FROM kysely_migration WHERE name = '0019_run_items'",
  'DROP TRIGGER sites_store_software ON sites',
  'DROP TRIGGER sites_change_software ON sites',
  'DROP TRIGGER sites_remove_software ON sites',
  'DROP TRIGGER access_grants_add_software ON access_grants',
  'DROP TRIGGER access_grants_remove_software ON access_grants',
  'DROP TABLE software_counts, site_software, software',
  'DROP FUNCTION track_site_software, remove_site_software, count_granted_software',
  'DROP FUNCTION store_site_software, delete_unused_software, rebuild_software',
  'DROP FUNCTION software_lock, inventory_items, version_rank',
  "DELETE FROM kysely_migration WHERE name = '0018_software'",
];
