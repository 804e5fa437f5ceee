-- breaks older versions
--
-- Versions before 0048 stored an inventory without its hash, and this trigger removed the outdated hash. Now each statement
-- that stores an inventory also stores its hash, or null.
DROP TRIGGER sites_forget_inventory_hash ON sites;
DROP FUNCTION forget_inventory_hash();

-- Code of the owners of both tables replaces it: it deleted rows of version_history beside the report of a site.
DROP FUNCTION forget_report(bigint);
