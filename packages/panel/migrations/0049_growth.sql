-- Limits for everything that sites, license keys and visitors can make grow: docs/decisions/0039-growth.md.

-- What a site changed on a day (UTC), with its site key or with the license key. Rows of ended days are deleted.
CREATE TABLE site_daily_use (
  site_id         bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  credential      text COLLATE "C" NOT NULL CHECK (credential IN ('license_key', 'site_key')),
  day             date NOT NULL,
  changed_reports integer NOT NULL,
  audited_changes integer NOT NULL,
  PRIMARY KEY (site_id, credential, day)
) WITH (fillfactor = 70);
CREATE INDEX site_daily_use_by_day ON site_daily_use (day);

-- Events that another party can repeat at will. The first ones of a day have audit records of their own; this table counts
-- all of them. When the day has ended, one audit record has the number of the others, and the row is deleted.
CREATE TABLE repeated_events (
  day         date NOT NULL,
  key         text COLLATE "C" NOT NULL, -- the fields below, except the counts
  count       integer NOT NULL,
  recorded    integer NOT NULL, -- how many of them have audit records of their own
  action      text NOT NULL,
  entity_type text NOT NULL,
  entity_id   text NOT NULL,
  site_id     bigint, -- no foreign key: as in the audit log
  context     jsonb NOT NULL,
  PRIMARY KEY (day, key)
) WITH (fillfactor = 70);

-- The number of new sites on the day of the last one, for licenses without a site limit.
ALTER TABLE licenses
  ADD COLUMN new_sites_day date,
  ADD COLUMN new_sites integer NOT NULL DEFAULT 0;

-- Keeps the versions of a site for a year after they were replaced, and at most 5,000 entries. The entry of an installed
-- version stays: the screens read it. Of an item, the oldest entry goes first, so that an item never seems to be installed
-- because its removal is missing.
CREATE FUNCTION trim_version_history(the_site bigint) RETURNS void LANGUAGE sql AS $$
  WITH entries AS MATERIALIZED (
    SELECT id, at, version, lead(at) OVER (PARTITION BY type, slug ORDER BY at) AS replaced_at
    FROM version_history WHERE site_id = the_site
  ), ended AS MATERIALIZED (
    SELECT id, at, coalesce(replaced_at, at) AS ended_at FROM entries
    WHERE replaced_at IS NOT NULL OR version IS NULL
  )
  DELETE FROM version_history WHERE id IN (
    SELECT id FROM ended WHERE ended_at < now() - interval '1 year'
    UNION ALL
    (SELECT id FROM ended ORDER BY at LIMIT greatest(0, (SELECT count(*) FROM entries) - 5000)))
$$;

-- As in 0045. The limit holds at the end of each report: a job once a day would leave a hostile site a day's worth of entries.
CREATE OR REPLACE FUNCTION track_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  PERFORM store_site_software(NEW.id, NEW.license_id, CASE TG_OP WHEN 'UPDATE' THEN OLD.inventory END, NEW.inventory);
  -- Most changed reports only have another pending update, and add no entry.
  IF (SELECT at FROM version_history WHERE site_id = NEW.id ORDER BY id DESC LIMIT 1) = now() THEN
    PERFORM trim_version_history(NEW.id);
  END IF;
  RETURN NULL;
END
$$;

-- Deletes what a disconnected site has reported. The row of the site stays.
CREATE FUNCTION forget_report(the_site bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- The software was not removed from the site, so its history gets no entries about that.
  PERFORM set_config('steward.keep_version_history', 'on', true);
  UPDATE sites SET inventory = NULL, inventory_hash = NULL, inventory_at = NULL, preflight = NULL, preflight_at = NULL
  WHERE id = the_site;
  PERFORM set_config('steward.keep_version_history', 'off', true);
  DELETE FROM version_history WHERE site_id = the_site;
END
$$;

-- As in 0018, with slugs of at most 512 bytes: a folder and a file name of 255 bytes each. Each slug is stored in several
-- tables and indexes.
CREATE OR REPLACE FUNCTION inventory_items(inventory jsonb)
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
  WHERE octet_length(slug) BETWEEN 1 AND 512
    -- A subquery, so that it is evaluated once and not for each item.
    AND (SELECT jsonb_array_length(jsonb_path_query_array(inventory, '$.plugins[*]'))
      + jsonb_array_length(jsonb_path_query_array(inventory, '$.themes[*]')) <= 2000)
  ORDER BY type, slug, position
$$;

-- As in 0029, with the last 100,000 versions in place of a million.
CREATE OR REPLACE FUNCTION delete_old_software_versions(last_id bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM software_versions v WHERE v.id < last_id - 100000 AND NOT EXISTS (
    SELECT FROM software s JOIN software_counts c ON c.software_id = s.id AND c.scope = 0
    WHERE s.type = v.type AND s.slug = v.slug AND v.version IN (c.version, c.new_version))
$$;
