import { REPLACED_MIGRATIONS } from '@steward/panel/database';

/** Undoes all migrations after the baseline. For each new migration, add its undo statements at the start. */
export const UNDO_SINCE_BASELINE = [
  "DELETE FROM one_time_links WHERE purpose = 'reset'",
  'ALTER TABLE one_time_links DROP CONSTRAINT one_time_links_purpose_check',
  "ALTER TABLE one_time_links ADD CONSTRAINT one_time_links_purpose_check CHECK (purpose IN ('setup', 'password'))",
  "DELETE FROM kysely_migration WHERE name = '0064_password_reset'",
  'DROP INDEX notification_deliveries_sent, notification_deliveries_unsent',
  "DELETE FROM kysely_migration WHERE name = '0063_mail_status'",
  'ALTER TABLE site_reachability DROP COLUMN response_day, DROP COLUMN response_counts',
  'ALTER TABLE site_days DROP COLUMN response_median_ms, DROP COLUMN response_max_ms',
  "DELETE FROM kysely_migration WHERE name = '0062_response_times'",
  'DROP INDEX listed_sites_by_name, listed_sites_by_state, sites_archived',
  'DROP COLLATION natural_order',
  'CREATE INDEX listed_sites_by_name ON listed_sites (scope, name, id)',
  'CREATE INDEX listed_sites_by_state ON listed_sites (scope, state, name, id)',
  'CREATE INDEX sites_archived ON sites (name, id) WHERE archived_at IS NOT NULL',
  "DELETE FROM kysely_migration WHERE name = '0061_natural_order'",
  'ALTER TABLE update_rules DROP CONSTRAINT update_rules_hours_check, DROP COLUMN hours, DROP CONSTRAINT update_rules_aspect_check',
  "ALTER TABLE update_rules ADD CONSTRAINT update_rules_aspect_check CHECK (aspect IN ('level', 'wait', 'ignore', 'restore'))",
  'ALTER TABLE sites DROP COLUMN backups, DROP COLUMN backed_up_at',
  "DELETE FROM kysely_migration WHERE name = '0060_backup_state'",
  'DROP TABLE rollout_splits',
  'ALTER TABLE schedules DROP COLUMN proof_percent',
  'ALTER TABLE rollouts DROP COLUMN halt_code, DROP COLUMN proof_exceptions',
  "DELETE FROM kysely_migration WHERE name = '0059_proof_of_rings'",
  'ALTER TABLE schedules DROP COLUMN items, DROP COLUMN sites_left_out',
  "DELETE FROM kysely_migration WHERE name = '0058_schedule_items'",
  'DROP TABLE client_memberships, client_logos',
  'DELETE FROM site_tags WHERE tag_id IN (SELECT id FROM tags WHERE client_id IS NOT NULL)',
  'DELETE FROM tags WHERE client_id IS NOT NULL',
  'ALTER TABLE tags DROP COLUMN client_id',
  'DROP TABLE clients',
  'DROP FUNCTION tag_new_client(), tag_sites_of_clients()',
  'DROP TRIGGER sites_add_name ON sites',
  'DROP TRIGGER sites_change_name ON sites',
  'DROP TRIGGER sites_change_list ON sites',
  'DROP FUNCTION name_new_site(), rename_site(), site_label(text, text)',
  'ALTER TABLE sites DROP COLUMN display_name, DROP COLUMN note, DROP COLUMN name',
  `ALTER TABLE sites ADD COLUMN name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    lower(regexp_replace(url, '^[a-z]+://(www\\.)?|/+$', '', 'gi'))) STORED`,
  'CREATE INDEX sites_by_part_of_name ON sites USING gin (name gin_trgm_ops)',
  'CREATE INDEX sites_by_letters ON sites USING gin (letter_groups(name))',
  'CREATE INDEX sites_archived ON sites (name, id) WHERE archived_at IS NOT NULL',
  `CREATE TRIGGER sites_change_list AFTER UPDATE ON sites FOR EACH ROW
    WHEN ((OLD.license_id, OLD.name, OLD.state, OLD.pending_total, OLD.pending_plugins, OLD.pending_themes,
        OLD.pending_core, OLD.archived_at IS NULL)
      IS DISTINCT FROM (NEW.license_id, NEW.name, NEW.state, NEW.pending_total, NEW.pending_plugins, NEW.pending_themes,
        NEW.pending_core, NEW.archived_at IS NULL))
    EXECUTE FUNCTION change_listed_site()`,
  "DELETE FROM kysely_migration WHERE name = '0057_clients'",
  'ALTER TABLE run_tasks DROP COLUMN pages_compared, DROP COLUMN pages_planned',
  'ALTER TABLE sites DROP COLUMN checked_pages',
  "DELETE FROM kysely_migration WHERE name = '0056_page_checks'",
  'DROP TABLE item_errors, item_error_days, item_error_reports, update_watches',
  'ALTER TABLE site_daily_use DROP COLUMN error_reports',
  'ALTER TABLE update_rules DROP CONSTRAINT update_rules_enabled_check, DROP COLUMN enabled, DROP CONSTRAINT update_rules_aspect_check',
  "ALTER TABLE update_rules ADD CONSTRAINT update_rules_aspect_check CHECK (aspect IN ('level', 'wait', 'ignore'))",
  "DELETE FROM kysely_migration WHERE name = '0055_release_health'",
  'CREATE FUNCTION forget_report(the_site bigint) RETURNS void LANGUAGE sql AS $$ DELETE FROM version_history WHERE site_id = the_site $$',
  'CREATE FUNCTION forget_inventory_hash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE sites SET inventory_hash = NULL WHERE id = NEW.id; RETURN NULL; END $$',
  'CREATE TRIGGER sites_forget_inventory_hash AFTER UPDATE OF inventory ON sites FOR EACH ROW WHEN (OLD.inventory_hash = NEW.inventory_hash) EXECUTE FUNCTION forget_inventory_hash()',
  "DELETE FROM panel_settings WHERE name = 'minimum_migration'",
  "DELETE FROM kysely_migration WHERE name = '0054_fewer_triggers'",
];

/** The database as the last version before the baseline left it: it lists the migrations that the baseline replaces. */
export const RETURN_TO_REPLACED = [
  ...UNDO_SINCE_BASELINE,
  `INSERT INTO kysely_migration (name, timestamp)
   SELECT unnest('{${REPLACED_MIGRATIONS.join()}}'::text[]), '2026-01-01T00:00:00.000Z'`,
];
