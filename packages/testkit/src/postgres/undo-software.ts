/** Undoes the migration `0018_software`, one statement per entry, for tests that start with an older database. */
export const UNDO_SOFTWARE = [
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
