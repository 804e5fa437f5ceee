-- A name and a customer tell licenses apart: screens show only the last six characters of the key.
ALTER TABLE licenses
  ADD COLUMN name text CHECK (length(name) BETWEEN 1 AND 100),
  ADD COLUMN customer text CHECK (length(customer) BETWEEN 1 AND 100);

-- An archived site is disconnected and in no list and no count. Its runs, records and versions stay.
ALTER TABLE sites ADD COLUMN archived_at timestamptz;
CREATE INDEX sites_archived ON sites (name, id) WHERE archived_at IS NOT NULL;

-- The counts of software leave archived sites out: an archived site has no rows in `site_software`.
CREATE FUNCTION archive_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.archived_at IS NULL THEN
    PERFORM store_site_software(NEW.id, NEW.license_id, NULL, NEW.inventory);
  ELSE
    -- The site still has its software, so the history of its versions must not end.
    PERFORM set_config('steward.keep_version_history', 'on', true);
    PERFORM store_site_software(NEW.id, NEW.license_id, OLD.inventory, NULL);
    PERFORM set_config('steward.keep_version_history', 'off', true);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER sites_archive_software AFTER UPDATE OF archived_at ON sites
  FOR EACH ROW WHEN ((OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL) AND NEW.inventory IS NOT NULL)
  EXECUTE FUNCTION archive_site_software();

DROP TRIGGER sites_change_software ON sites;
CREATE TRIGGER sites_change_software AFTER UPDATE OF inventory ON sites
  FOR EACH ROW WHEN (OLD.inventory IS DISTINCT FROM NEW.inventory AND NEW.archived_at IS NULL)
  EXECUTE FUNCTION track_site_software();

-- A site that returns from the archive with the same version did not change its version.
CREATE OR REPLACE FUNCTION record_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item site_software := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF current_setting('steward.keep_version_history', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO version_history (site_id, type, slug, at, name, version)
  SELECT item.site_id, s.type, s.slug, now(), s.name, CASE WHEN TG_OP <> 'DELETE' THEN item.version END
  FROM software s WHERE s.id = item.software_id
    AND (TG_OP <> 'INSERT' OR item.version IS DISTINCT FROM (
      SELECT h.version FROM version_history h
      WHERE h.site_id = item.site_id AND h.type = s.type AND h.slug = s.slug ORDER BY h.at DESC LIMIT 1))
  ON CONFLICT (site_id, type, slug, at) DO UPDATE SET name = excluded.name, version = excluded.version;
  RETURN NULL;
END
$$;

-- As in 0018, without archived sites.
CREATE OR REPLACE FUNCTION rebuild_software() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE sites, access_grants IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE software, site_software, software_counts;
  ALTER TABLE site_software
    DROP CONSTRAINT IF EXISTS site_software_pkey,
    DROP CONSTRAINT IF EXISTS site_software_site_id_fkey,
    DROP CONSTRAINT IF EXISTS site_software_software_id_fkey;
  DROP INDEX IF EXISTS site_software_by_version, site_software_outdated;

  CREATE TEMPORARY TABLE reported_items ON COMMIT DROP AS
    SELECT s.id AS site_id, s.inventory_at, i.* FROM sites s CROSS JOIN LATERAL inventory_items(s.inventory) AS i
    WHERE s.archived_at IS NULL;
  INSERT INTO software (type, slug, name)
    SELECT DISTINCT ON (type, slug) type, slug, name FROM reported_items
    ORDER BY type, slug, inventory_at DESC NULLS LAST, site_id DESC;
  INSERT INTO site_software (site_id, software_id, version, new_version, active)
    SELECT r.site_id, s.id, r.version, r.new_version, r.active
    FROM reported_items r JOIN software s ON s.type = r.type AND s.slug = r.slug;
  DROP TABLE reported_items;

  ALTER TABLE site_software
    ADD PRIMARY KEY (site_id, software_id),
    ADD FOREIGN KEY (site_id) REFERENCES sites ON DELETE CASCADE,
    ADD FOREIGN KEY (software_id) REFERENCES software;
  CREATE INDEX site_software_by_version ON site_software (software_id, version, site_id);
  CREATE INDEX site_software_outdated ON site_software (software_id, version, site_id)
    WHERE new_version IS NOT NULL;

  INSERT INTO software_counts (scope, software_id, version, new_version, sites, active_sites)
    SELECT scope, software_id, version, new_version, count(*), count(*) FILTER (WHERE active)
    FROM site_software JOIN (
      SELECT 0::bigint AS scope, id AS site_id FROM sites
      UNION ALL (
        SELECT user_id, site_id FROM access_grants WHERE site_id IS NOT NULL
        UNION SELECT g.user_id, s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id)
    ) AS visible USING (site_id)
    GROUP BY scope, software_id, version, new_version;
END
$$;
