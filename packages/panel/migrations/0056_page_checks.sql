-- =====================================================================================================================
-- How far the pages of a site were checked after a change, docs/decisions/0026-health-and-reachability.md
-- =====================================================================================================================

-- Pages that were compared with their state before the change. NULL: the site did not report it.
ALTER TABLE run_tasks ADD COLUMN pages_compared integer;
ALTER TABLE run_tasks ADD COLUMN pages_planned integer;

-- Pages that an owner has marked: path and query below the home address. The health check opens them too.
ALTER TABLE sites ADD COLUMN checked_pages text[] NOT NULL DEFAULT '{}'
  CHECK (cardinality(checked_pages) <= 5);
