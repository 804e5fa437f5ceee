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

-- A grant of a tag covers the sites that have the tag now, and those that get it later.
ALTER TABLE access_grants
  ADD COLUMN tag_id bigint REFERENCES tags ON DELETE CASCADE,
  DROP CONSTRAINT access_grants_check,
  ADD CONSTRAINT access_grants_check CHECK (num_nonnulls(site_id, license_id, tag_id) = 1),
  ADD UNIQUE (user_id, tag_id);
CREATE INDEX access_grants_by_tag ON access_grants (tag_id) WHERE tag_id IS NOT NULL;

-- As in 0018, with grants of tags.
CREATE OR REPLACE FUNCTION store_site_software(the_site bigint, its_license bigint, previous_inventory jsonb, inventory jsonb)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  unused_ids bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(18, software_lock(its_license));

  -- Locks each row of a changed item, also if its name is unchanged, so that no other transaction deletes it.
  INSERT INTO software AS s (type, slug, name)
  SELECT changed.type, changed.slug, changed.name
  FROM (SELECT * FROM inventory_items(inventory) EXCEPT SELECT * FROM inventory_items(previous_inventory)) AS changed
  ORDER BY changed.type, changed.slug
  ON CONFLICT (type, slug) DO UPDATE SET name = excluded.name WHERE s.name <> excluded.name;

  WITH items AS MATERIALIZED (
    SELECT s.id AS software_id, i.version, i.new_version, i.active
    FROM inventory_items(inventory) AS i JOIN software s ON s.type = i.type AND s.slug = i.slug
  ), previous AS MATERIALIZED (
    SELECT software_id, version, new_version, active FROM site_software WHERE site_id = the_site
  ), removed AS (
    DELETE FROM site_software
    WHERE site_id = the_site AND software_id NOT IN (SELECT software_id FROM items)
  ), written AS (
    INSERT INTO site_software (site_id, software_id, version, new_version, active)
    SELECT the_site, * FROM (TABLE items EXCEPT TABLE previous) AS added
    ON CONFLICT (site_id, software_id) DO UPDATE
      SET version = excluded.version, new_version = excluded.new_version, active = excluded.active
  ), difference AS (
    SELECT *, -1 AS sites FROM (TABLE previous EXCEPT TABLE items) AS lost
    UNION ALL SELECT *, 1 FROM (TABLE items EXCEPT TABLE previous) AS added
  ), scopes AS (
    SELECT 0::bigint AS scope
    UNION SELECT user_id FROM access_grants WHERE site_id = the_site
    UNION SELECT user_id FROM access_grants WHERE license_id = its_license
    UNION SELECT g.user_id FROM site_tags t JOIN access_grants g ON g.tag_id = t.tag_id WHERE t.site_id = the_site
  ), counted AS (
    INSERT INTO software_counts AS c (scope, software_id, version, new_version, sites, active_sites)
    SELECT scope, software_id, version, new_version, sum(sites), coalesce(sum(sites) FILTER (WHERE active), 0)
    FROM difference CROSS JOIN scopes
    GROUP BY scope, software_id, version, new_version
    ORDER BY scope, software_id, version, new_version
    ON CONFLICT (scope, software_id, version, (coalesce('=' || new_version, ''))) DO UPDATE
      SET sites = c.sites + excluded.sites, active_sites = c.active_sites + excluded.active_sites
    RETURNING software_id, sites
  )
  SELECT array_agg(DISTINCT software_id) INTO unused_ids FROM counted WHERE sites = 0;

  IF unused_ids IS NOT NULL THEN
    PERFORM delete_unused_software(unused_ids);
  END IF;
END
$$;

-- As in 0018, with grants of tags.
CREATE OR REPLACE FUNCTION count_granted_software() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  IF EXISTS (SELECT FROM changed WHERE tag_id IS NOT NULL) THEN
    -- Waits for changes of tags, which share this lock: otherwise neither would count a site that gets the tag now.
    PERFORM pg_advisory_xact_lock(24, 0);
  END IF;
  PERFORM pg_advisory_xact_lock(18, number) FROM (
    SELECT software_lock(coalesce(c.license_id, s.license_id)) AS number
    FROM changed c LEFT JOIN sites s ON s.id = c.site_id
    UNION SELECT software_lock(s.license_id)
    FROM changed c JOIN site_tags t ON t.tag_id = c.tag_id JOIN sites s ON s.id = t.site_id ORDER BY 1) AS locks
  WHERE number IS NOT NULL;

  -- A site can be granted directly, through its license and through its tags; it counts once.
  WITH granted AS (
    SELECT user_id, site_id FROM changed WHERE site_id IS NOT NULL
    UNION SELECT c.user_id, s.id FROM changed c JOIN sites s ON s.license_id = c.license_id
    UNION SELECT c.user_id, t.site_id FROM changed c JOIN site_tags t ON t.tag_id = c.tag_id
  ), visible AS (
    SELECT g.user_id, g.site_id FROM granted g JOIN sites s ON s.id = g.site_id
    WHERE NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.site_id = g.site_id
        AND o.id NOT IN (SELECT id FROM changed))
      AND NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.license_id = s.license_id
        AND o.id NOT IN (SELECT id FROM changed))
      AND NOT EXISTS (SELECT FROM site_tags t JOIN access_grants o ON o.tag_id = t.tag_id
        WHERE t.site_id = g.site_id AND o.user_id = g.user_id AND o.id NOT IN (SELECT id FROM changed))
  )
  INSERT INTO software_counts AS c (scope, software_id, version, new_version, sites, active_sites)
  SELECT user_id, software_id, version, new_version, difference * count(*), difference * count(*) FILTER (WHERE active)
  FROM visible JOIN site_software USING (site_id)
  GROUP BY user_id, software_id, version, new_version
  ORDER BY user_id, software_id, version, new_version
  ON CONFLICT (scope, software_id, version, (coalesce('=' || new_version, ''))) DO UPDATE
    SET sites = c.sites + excluded.sites, active_sites = c.active_sites + excluded.active_sites;

  DELETE FROM software_counts WHERE scope IN (SELECT user_id FROM changed) AND sites = 0;
  RETURN NULL;
END
$$;

-- Counts the software of sites that a user sees, or no longer sees, because of a tag. Locks as a change of grants does.
CREATE FUNCTION count_tagged_software() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(24, 0);
  IF NOT EXISTS (SELECT FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id) THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(18, number) FROM (
    SELECT DISTINCT software_lock(s.license_id) AS number
    FROM changed c JOIN sites s ON s.id = c.site_id ORDER BY 1) AS locks;

  WITH granted AS (
    SELECT DISTINCT g.user_id, c.site_id FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id
  ), visible AS (
    SELECT g.user_id, g.site_id FROM granted g JOIN sites s ON s.id = g.site_id
    WHERE NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.site_id = g.site_id)
      AND NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.license_id = s.license_id)
      AND NOT EXISTS (SELECT FROM site_tags t JOIN access_grants o ON o.tag_id = t.tag_id
        WHERE t.site_id = g.site_id AND o.user_id = g.user_id
          AND NOT EXISTS (SELECT FROM changed c WHERE c.site_id = t.site_id AND c.tag_id = t.tag_id))
  )
  INSERT INTO software_counts AS c (scope, software_id, version, new_version, sites, active_sites)
  SELECT user_id, software_id, version, new_version, difference * count(*), difference * count(*) FILTER (WHERE active)
  FROM visible JOIN site_software USING (site_id)
  GROUP BY user_id, software_id, version, new_version
  ORDER BY user_id, software_id, version, new_version
  ON CONFLICT (scope, software_id, version, (coalesce('=' || new_version, ''))) DO UPDATE
    SET sites = c.sites + excluded.sites, active_sites = c.active_sites + excluded.active_sites;

  DELETE FROM software_counts WHERE sites = 0
    AND scope IN (SELECT g.user_id FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER site_tags_add_software AFTER INSERT ON site_tags REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_tagged_software();
CREATE TRIGGER site_tags_remove_software AFTER DELETE ON site_tags REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_tagged_software();

-- As in 0018, without archived sites and with grants of tags.
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
        UNION SELECT g.user_id, s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id
        UNION SELECT g.user_id, t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id)
    ) AS visible USING (site_id)
    GROUP BY scope, software_id, version, new_version;
END
$$;
