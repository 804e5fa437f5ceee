/**
 * Undoes the migrations from `0018_software` on, one statement per entry, for tests that start with an older database.
 * A later migration must be undone here, before the others.
 */
export const UNDO_SINCE_SOFTWARE = [
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
