-- =====================================================================================================================
-- Names in natural order, docs/decisions/0060-natural-order.md
-- =====================================================================================================================

-- Numbers compare by value, so 3 is before 23; upper and lower case are equal, and bytes decide between equal names.
CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn-true-ks-level2');

-- The indexes keep their names. A process of the version before sorts names without an index until it is replaced.
DROP INDEX listed_sites_by_name, listed_sites_by_state, sites_archived;
CREATE INDEX listed_sites_by_name ON listed_sites (scope, name COLLATE natural_order, id);
CREATE INDEX listed_sites_by_state ON listed_sites (scope, state, name COLLATE natural_order, id);
CREATE INDEX sites_archived ON sites (name COLLATE natural_order, id) WHERE archived_at IS NOT NULL;

CREATE OR REPLACE FUNCTION rebuild_listed_sites() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE sites, site_tags, access_grants IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE listed_sites, tag_counts;
  ALTER TABLE listed_sites DROP CONSTRAINT IF EXISTS listed_sites_pkey;
  DROP INDEX IF EXISTS listed_sites_by_name, listed_sites_by_state, listed_sites_by_pending,
    listed_sites_by_license;
  INSERT INTO listed_sites
    SELECT visible.scope, s.id, s.license_id, s.name, s.state, s.pending_total, s.pending_plugins, s.pending_themes,
      s.pending_core
    FROM sites s JOIN (
      SELECT 0::bigint AS scope, id AS site_id FROM sites
      UNION ALL (
        SELECT user_id, site_id FROM access_grants WHERE site_id IS NOT NULL
        UNION SELECT g.user_id, s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id
        UNION SELECT g.user_id, t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id)
    ) AS visible ON visible.site_id = s.id
    WHERE s.archived_at IS NULL ORDER BY visible.scope, s.name COLLATE natural_order;
  ALTER TABLE listed_sites ADD PRIMARY KEY (id, scope);
  CREATE INDEX listed_sites_by_name ON listed_sites (scope, name COLLATE natural_order, id);
  CREATE INDEX listed_sites_by_state ON listed_sites (scope, state, name COLLATE natural_order, id);
  CREATE INDEX listed_sites_by_pending ON listed_sites (scope, pending_total, id);
  CREATE INDEX listed_sites_by_license ON listed_sites (scope, license_id, id);
  INSERT INTO tag_counts (scope, tag_id, sites)
    SELECT l.scope, t.tag_id, count(*) FROM listed_sites l JOIN site_tags t ON t.site_id = l.id
    GROUP BY l.scope, t.tag_id;
END
$$;
