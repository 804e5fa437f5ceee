-- Columns and indexes with which the screens find and count sites quickly: a name, pending updates as columns, indexes
-- for order and search, and tags. An update of the management plugin, `steward`, is not pending: a bulk update leaves
-- it out. The contract has the same rule in pendingUpdates().

CREATE FUNCTION outdated_plugins(inventory jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT plugin), '{}')
  FROM jsonb_array_elements_text(
    jsonb_path_query_array(inventory, '$.plugins[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i")).plugin')) AS plugin
$$;

-- The name is the address without scheme, `www.` and trailing slash, in lower case. Lists are sorted by it, and
-- searches use it. Comparing bytes (collation "C") is several times faster than the rules of a language.
ALTER TABLE sites
  ADD COLUMN name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    lower(regexp_replace(url, '^[a-z]+://(www\.)?|/+$', '', 'gi'))) STORED,
  ADD COLUMN outdated_plugins text[] NOT NULL GENERATED ALWAYS AS (
    CASE WHEN inventory IS NULL THEN '{}' ELSE outdated_plugins(inventory) END) STORED;

-- An inventory is read for one site at a time, the other columns for all sites at once. PostgreSQL therefore stores the
-- inventory outside the row, and the other columns in the row. The next ALTER TABLE adds columns, which rewrites all
-- rows in this way.
ALTER TABLE sites SET (toast_tuple_target = 128);
ALTER TABLE sites
  ALTER COLUMN url SET STORAGE MAIN,
  ALTER COLUMN canonical_url SET STORAGE MAIN,
  ALTER COLUMN endpoint_url SET STORAGE MAIN,
  ALTER COLUMN name SET STORAGE MAIN,
  ALTER COLUMN outdated_plugins SET STORAGE MAIN;

ALTER TABLE sites
  ADD COLUMN pending_plugins integer NOT NULL GENERATED ALWAYS AS (coalesce(jsonb_array_length(
    jsonb_path_query_array(inventory, '$.plugins[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i"))')), 0)) STORED,
  ADD COLUMN pending_themes integer NOT NULL GENERATED ALWAYS AS (coalesce(jsonb_array_length(
    jsonb_path_query_array(inventory, '$.themes[*] ? (exists(@.new_version))')), 0)) STORED,
  ADD COLUMN pending_core integer NOT NULL GENERATED ALWAYS AS (
    coalesce(jsonb_path_exists(inventory, '$.core.new_version'), false)::integer) STORED,
  ADD COLUMN pending_total integer NOT NULL GENERATED ALWAYS AS (coalesce(jsonb_array_length(
    jsonb_path_query_array(inventory, '$.*[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i"))')), 0)) STORED;

CREATE INDEX sites_by_name ON sites (name, id);
CREATE INDEX sites_by_pending ON sites (pending_total, id);
CREATE INDEX sites_without_report ON sites (name, id) WHERE inventory_at IS NULL;

-- With the extension pg_trgm, an index finds parts of names. Without it, the same query reads the whole index of names.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX sites_by_part_of_name ON sites USING gin (name gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'Without pg_trgm: %', SQLERRM;
END
$$;

-- A text that sorts like versions, 6.9 before 6.10: each number is padded with zeros to ten digits.
CREATE FUNCTION version_order(version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 500 AS $$
  SELECT regexp_replace(
    regexp_replace(version, '(\d+)', '000000000\1', 'g'), '\d*(\d{10})', '\1', 'g') COLLATE "C"
$$;

-- Most check-ins report the same versions as before, and write none of these indexes. There is no index on
-- last_check_at, because every check-in would write it.
CREATE INDEX license_activations_by_cms ON license_activations (version_order(cms_version), site_id);
CREATE INDEX license_activations_by_php ON license_activations (version_order(php_version), site_id);
CREATE INDEX license_activations_by_plugin
  ON license_activations (version_order(plugin_version), site_id);
CREATE INDEX license_activations_ended ON license_activations (site_id) WHERE status = 'deactivated';
CREATE INDEX license_activations_elsewhere ON license_activations (environment, site_id)
  WHERE environment <> 'production';

CREATE INDEX licenses_by_end ON licenses (expires_at) WHERE status = 'active';

-- Two spellings of a tag that differ only in case are one tag; the first spelling stays.
CREATE TABLE tags (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 40)
);

CREATE UNIQUE INDEX tags_by_name ON tags (lower(name));

CREATE TABLE site_tags (
  site_id bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  tag_id  bigint NOT NULL REFERENCES tags,
  PRIMARY KEY (site_id, tag_id)
);

CREATE INDEX site_tags_by_tag ON site_tags (tag_id, site_id);
