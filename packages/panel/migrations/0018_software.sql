-- Plugins, themes and core across all sites: which site has which version, and counts for the page *Software*.
-- Triggers derive all of it from `sites.inventory` and `access_grants`, so no code can forget to update it:
-- docs/decisions/0020-software-counts.md.

-- The slug is case-sensitive. The name is the one in the most recent report that was new or changed.
CREATE TABLE software (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text COLLATE "C" NOT NULL CHECK (type IN ('plugin', 'theme', 'core')),
  slug text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- The Steward plugin is never outdated. The contract has the same rule as isManagementPlugin().
  is_management_plugin boolean NOT NULL
    GENERATED ALWAYS AS (type = 'plugin' AND lower(split_part(slug, '/', 1)) = 'steward') STORED,
  UNIQUE (type, slug)
);

-- `rebuild_software` adds its keys and indexes.
CREATE TABLE site_software (
  site_id     bigint NOT NULL,
  software_id bigint NOT NULL,
  version     text COLLATE "C" NOT NULL,
  new_version text COLLATE "C", -- null: the site offers no update
  active      boolean NOT NULL
);

-- A text that sorts like isNewerVersion() of the contract: a word (rc) before the end of a version, the end before a
-- number. A number starts with its length, so that 10 sorts after 9.
CREATE FUNCTION version_rank(version text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(string_agg(
    CASE WHEN part ~ '^[0-9]' THEN '2' || lpad(length(ltrim(part, '0'))::text, 2, '0') || ltrim(part, '0')
         ELSE '0' || part || ' ' END, '' ORDER BY position), '') || '1'
  FROM regexp_matches(lower(version), '[0-9]+|[a-z]+', 'g') WITH ORDINALITY AS found (parts, position),
       unnest(parts) AS part
$$;

-- Scope 0 counts all sites. Every other scope is the id of a user with access grants, and counts the sites granted to
-- this user. Only `sites` and `active_sites` change, and no index has them, so an update writes no index.
CREATE TABLE software_counts (
  scope        bigint NOT NULL,
  software_id  bigint NOT NULL,
  version      text COLLATE "C" NOT NULL,
  new_version  text COLLATE "C",
  sites        integer NOT NULL,
  active_sites integer NOT NULL,
  version_rank text COLLATE "C" NOT NULL GENERATED ALWAYS AS (version_rank(version)) STORED,
  -- The newer one of version and new_version.
  newest       text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    CASE WHEN version_rank(new_version) COLLATE "C" > version_rank(version) THEN new_version ELSE version END) STORED,
  newest_rank  text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    greatest(version_rank(new_version) COLLATE "C", version_rank(version))) STORED
) WITH (fillfactor = 70);

-- Null and the empty text are different offers. NULLS NOT DISTINCT needs PostgreSQL 15.
CREATE UNIQUE INDEX software_counts_key
  ON software_counts (scope, software_id, version, (coalesce('=' || new_version, '')));
CREATE INDEX software_counts_by_software ON software_counts (software_id);

-- The items of an inventory, each once. Like the page of a site, it ignores an inventory with more than 2,000 items.
CREATE FUNCTION inventory_items(inventory jsonb)
  RETURNS TABLE (type text, slug text, name text, version text, new_version text, active boolean)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT DISTINCT ON (type, slug) type, slug,
    coalesce(nullif(btrim(left(regexp_replace(item ->> 'name', '[[:cntrl:]]+', ' ', 'g'), 200)), ''), slug),
    coalesce(left(item ->> 'version', 64), ''), left(item ->> 'new_version', 64), is_active
  FROM (
    SELECT 'plugin' AS type, item ->> 'plugin' AS slug, item, item @> '{"active": true}' AS is_active, position
    FROM jsonb_path_query(inventory, '$.plugins[*]') WITH ORDINALITY AS plugins (item, position)
    UNION ALL
    SELECT 'theme', item ->> 'slug', item, item @> '{"active": true}', position
    FROM jsonb_path_query(inventory, '$.themes[*]') WITH ORDINALITY AS themes (item, position)
    UNION ALL
    SELECT 'core', 'core', item || '{"name": "Core"}', true, 1
    FROM jsonb_path_query(inventory, '$.core') AS item WHERE jsonb_typeof(item) = 'object'
  ) AS items
  -- The slug must fit into an index.
  WHERE octet_length(slug) BETWEEN 1 AND 2000
    -- A subquery, so that it is evaluated once and not for each item.
    AND (SELECT jsonb_array_length(jsonb_path_query_array(inventory, '$.plugins[*]'))
      + jsonb_array_length(jsonb_path_query_array(inventory, '$.themes[*]')) <= 2000)
  ORDER BY type, slug, position
$$;

-- Reports of a license share this lock. A grant takes it exclusively: it must count neither more nor less than the
-- reports that commit before it. 64 locks for all licenses, because the lock table of PostgreSQL is small.
CREATE FUNCTION software_lock(license_id bigint) RETURNS integer
  LANGUAGE sql IMMUTABLE AS $$ SELECT (license_id % 64)::integer $$;

-- Stores the software of one site and changes the counts by the difference. The caller has locked the row of the site.
--
-- Concurrent reports lock in the same order and cannot deadlock: first `software` by type and slug, then all counts
-- with one statement, sorted by key. A transaction must therefore not store the reports of two sites.
CREATE FUNCTION store_site_software(the_site bigint, its_license bigint, previous_inventory jsonb, inventory jsonb)
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

-- Deletes empty counts, which only this transaction can have left, and software that no site has any more: otherwise a
-- hostile site could fill the table with a new slug in each report.
CREATE FUNCTION delete_unused_software(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  locked_ids bigint[];
BEGIN
  DELETE FROM software_counts WHERE software_id = ANY(ids) AND sites = 0;
  -- Skips rows that a concurrent report is about to use.
  SELECT array_agg(id) INTO locked_ids FROM (
    SELECT id FROM software WHERE id = ANY(ids)
      AND NOT EXISTS (SELECT FROM site_software WHERE software_id = software.id)
    FOR UPDATE SKIP LOCKED) AS locked;
  -- Reads again after the lock: a report may have committed since the first read.
  DELETE FROM software WHERE id = ANY(locked_ids)
    AND NOT EXISTS (SELECT FROM site_software WHERE software_id = software.id);
END
$$;

CREATE FUNCTION track_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM store_site_software(NEW.id, NEW.license_id, CASE TG_OP WHEN 'UPDATE' THEN OLD.inventory END, NEW.inventory);
  RETURN NULL;
END
$$;

CREATE FUNCTION remove_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM store_site_software(OLD.id, OLD.license_id, OLD.inventory, NULL);
  RETURN OLD;
END
$$;

CREATE FUNCTION count_granted_software() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM pg_advisory_xact_lock(18, number) FROM (
    SELECT DISTINCT software_lock(coalesce(c.license_id, s.license_id)) AS number
    FROM changed c LEFT JOIN sites s ON s.id = c.site_id ORDER BY 1) AS locks
  WHERE number IS NOT NULL;

  -- A site can be granted directly and through its license; it counts once.
  WITH granted AS (
    SELECT user_id, site_id FROM changed WHERE site_id IS NOT NULL
    UNION SELECT c.user_id, s.id FROM changed c JOIN sites s ON s.license_id = c.license_id
  ), visible AS (
    SELECT g.user_id, g.site_id FROM granted g JOIN sites s ON s.id = g.site_id
    WHERE NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.site_id = g.site_id
        AND o.id NOT IN (SELECT id FROM changed))
      AND NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.license_id = s.license_id
        AND o.id NOT IN (SELECT id FROM changed))
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

-- Derives everything again from the inventories and grants, with one pass over the sites. Other transactions wait.
-- Only the owner of the tables can call it. Keys and indexes are built after the rows: for millions of rows, checking
-- each row takes longer than everything else.
CREATE FUNCTION rebuild_software() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE sites, access_grants IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE software, site_software, software_counts;
  ALTER TABLE site_software
    DROP CONSTRAINT IF EXISTS site_software_pkey,
    DROP CONSTRAINT IF EXISTS site_software_site_id_fkey,
    DROP CONSTRAINT IF EXISTS site_software_software_id_fkey;
  DROP INDEX IF EXISTS site_software_by_version, site_software_outdated;

  CREATE TEMPORARY TABLE reported_items ON COMMIT DROP AS
    SELECT s.id AS site_id, s.inventory_at, i.* FROM sites s CROSS JOIN LATERAL inventory_items(s.inventory) AS i;
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

SELECT rebuild_software();
ANALYZE software, site_software, software_counts;

CREATE TRIGGER sites_store_software AFTER INSERT ON sites
  FOR EACH ROW WHEN (NEW.inventory IS NOT NULL) EXECUTE FUNCTION track_site_software();
-- An unchanged report does not even start the trigger.
CREATE TRIGGER sites_change_software AFTER UPDATE OF inventory ON sites
  FOR EACH ROW WHEN (OLD.inventory IS DISTINCT FROM NEW.inventory) EXECUTE FUNCTION track_site_software();
CREATE TRIGGER sites_remove_software BEFORE DELETE ON sites
  FOR EACH ROW EXECUTE FUNCTION remove_site_software();
CREATE TRIGGER access_grants_add_software AFTER INSERT ON access_grants REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_software();
CREATE TRIGGER access_grants_remove_software AFTER DELETE ON access_grants REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_software();
