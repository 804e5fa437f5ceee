-- The lists read `listed_sites` since 0045. These indexes are no longer read, but each new site and each changed report
-- wrote them.
DROP INDEX sites_by_name, sites_by_pending, sites_by_state;

-- SHA-256 of the inventory as the panel serialises it. A report that repeats the inventory is found without comparing the
-- inventories. Null: not known.
ALTER TABLE sites ADD COLUMN inventory_hash bytea;

-- Processes of the version before write an inventory without its hash. A hash that stayed would belong to another inventory.
-- Not a BEFORE trigger: with one, PostgreSQL computes all generated columns again in each update of a site.
CREATE FUNCTION forget_inventory_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET inventory_hash = NULL WHERE id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER sites_forget_inventory_hash AFTER UPDATE OF inventory ON sites FOR EACH ROW
  WHEN (OLD.inventory_hash = NEW.inventory_hash) EXECUTE FUNCTION forget_inventory_hash();

-- As in 0045. A new site has no tags and no grants of its own yet, so only the grants of its license count.
CREATE OR REPLACE FUNCTION list_new_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  IF NEW.archived_at IS NULL THEN
    INSERT INTO listed_sites
    SELECT scope, NEW.id, NEW.license_id, NEW.name, NEW.state, NEW.pending_total, NEW.pending_plugins,
      NEW.pending_themes, NEW.pending_core
    FROM (SELECT 0 AS scope UNION SELECT user_id FROM access_grants WHERE license_id = NEW.license_id) AS scopes;
  END IF;
  RETURN NULL;
END
$$;
