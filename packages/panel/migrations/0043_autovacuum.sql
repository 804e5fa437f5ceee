-- Free space and autovacuum for the tables that check-ins, reports and activations rewrite. An update that finds free
-- space in its page and changes no indexed column writes no index (HOT). `license_activations` and `sites` have a
-- fillfactor since 0001 and 0007. `licenses` has the site counts, which each activation changes. A fillfactor is for new
-- pages only: it does not rewrite the table.
ALTER TABLE licenses SET (fillfactor = 80);

-- By default, autovacuum waits until a fifth of the rows is dead: 200,000 rows with a million sites. Until then, an update
-- that changes an indexed column leaves its old entries in all indexes. Smaller steps take less time each.
ALTER TABLE licenses SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
ALTER TABLE license_activations
  SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
-- An inventory is stored outside the row. Its old parts have no HOT, so only autovacuum frees them.
ALTER TABLE sites SET (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_threshold = 500);
