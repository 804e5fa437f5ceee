-- Uploaded packages of plugins and themes, and the links with which sites download them once.

CREATE TABLE packages (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256       text COLLATE "C" NOT NULL UNIQUE,
  size         bigint NOT NULL,
  type         text COLLATE "C" NOT NULL CHECK (type IN ('plugin', 'theme')),
  slug         text COLLATE "C" NOT NULL,
  name         text NOT NULL,
  version      text COLLATE "C" NOT NULL,
  requires     text, -- the lowest version of the CMS; null: not stated
  requires_php text,
  uploaded_by  bigint REFERENCES users ON DELETE SET NULL,
  created_at   timestamptz NOT NULL,
  -- The last upload, or the last link for a site. Unused packages are deleted.
  used_at      timestamptz NOT NULL
);
CREATE INDEX packages_by_use ON packages (used_at);

-- Rows of 1 MB: a download reads one at a time, and several processes share the packages.
CREATE TABLE package_chunks (
  package_id bigint NOT NULL REFERENCES packages ON DELETE CASCADE,
  position   integer NOT NULL,
  bytes      bytea NOT NULL,
  PRIMARY KEY (package_id, position)
);
-- Zip files are compressed already.
ALTER TABLE package_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE package_links (
  token_hash bytea PRIMARY KEY,
  package_id bigint NOT NULL REFERENCES packages ON DELETE CASCADE,
  site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX package_links_by_expiry ON package_links (expires_at);

-- The chart of updates leaves these runs out. The query must repeat the condition literally.
CREATE INDEX runs_without_updates ON runs (id) WHERE kind IN ('install', 'restore');

-- The versions of one plugin or theme that a site can restore, newest first.
CREATE FUNCTION saved_versions(inventory jsonb, item_type text, item_slug text)
  RETURNS TABLE (version text, age bigint)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT saved.version, saved.age
  FROM (SELECT jsonb_path_query_first(inventory, CASE item_type
      WHEN 'plugin' THEN '$.plugins[*] ? (@.plugin == $slug)'::jsonpath
      ELSE '$.themes[*] ? (@.slug == $slug)'::jsonpath
    END, jsonb_build_object('slug', item_slug)) -> 'saved_versions' AS versions) AS item
  CROSS JOIN LATERAL jsonb_array_elements_text(
    CASE WHEN jsonb_typeof(versions) = 'array' THEN versions ELSE '[]' END)
    WITH ORDINALITY AS saved (version, age)
$$;
