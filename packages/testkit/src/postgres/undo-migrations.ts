import { REPLACED_MIGRATIONS } from '@steward/panel/database';

/** Undoes all migrations after the baseline. For each new migration, add its undo statements at the start. */
export const UNDO_SINCE_BASELINE = [
  'ALTER TABLE schedules DROP COLUMN items, DROP COLUMN sites_left_out',
  "DELETE FROM kysely_migration WHERE name = '0059_schedule_items'",
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
