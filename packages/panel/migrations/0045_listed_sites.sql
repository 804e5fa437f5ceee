-- One narrow row for each site and each user who sees it, for the list of sites: docs/decisions/0037-lists-for-managers.md.
-- Triggers derive it from `sites`, `access_grants` and `site_tags`, so no code can forget to update it. Archived sites
-- have no rows.

-- Scope 0 lists all sites. Every other scope is the id of a user with access grants.
CREATE TABLE listed_sites (
  scope           bigint NOT NULL,
  id              bigint NOT NULL, -- of the site
  license_id      bigint NOT NULL,
  name            text COLLATE "C" NOT NULL,
  state           text COLLATE "C" NOT NULL,
  pending_total   integer NOT NULL,
  pending_plugins integer NOT NULL,
  pending_themes  integer NOT NULL,
  pending_core    integer NOT NULL
) WITH (fillfactor = 90);

-- Processes of the version before write this table through the triggers, before the grants that follow all migrations.
DO $$
DECLARE item record;
BEGIN
  FOR item IN
    SELECT acl.privilege_type AS privilege, acl.grantee::regrole::text AS grantee
    FROM pg_class c, aclexplode(c.relacl) acl
    WHERE c.oid = 'site_tags'::regclass AND acl.grantee NOT IN (0, c.relowner)
  LOOP
    EXECUTE format('GRANT %s ON listed_sites TO %s', item.privilege, item.grantee);
  END LOOP;
END
$$;

-- A transaction that changes listed columns of sites shares this lock. Changes of grants take it alone: they copy the columns of
-- sites that other transactions may be changing.
CREATE FUNCTION share_site_lists() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock_shared(24, 1) $$;

-- Adds rows for these pairs of a user and a site.
CREATE FUNCTION list_sites(users bigint[], sites_of_users bigint[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO listed_sites
  SELECT added.scope, s.id, s.license_id, s.name, s.state, s.pending_total, s.pending_plugins, s.pending_themes,
    s.pending_core
  FROM unnest(users, sites_of_users) AS added (scope, site_id) JOIN sites s ON s.id = added.site_id
  WHERE s.archived_at IS NULL ORDER BY added.scope, s.id
  ON CONFLICT DO NOTHING
$$;

-- Removes those of these pairs that no grant covers any more.
CREATE FUNCTION unlist_sites(users bigint[], sites_of_users bigint[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM listed_sites l USING unnest(users, sites_of_users) AS removed (scope, site_id)
  WHERE l.scope = removed.scope AND l.id = removed.site_id
    AND NOT EXISTS (SELECT FROM access_grants g WHERE g.user_id = l.scope AND g.site_id = l.id)
    AND NOT EXISTS (SELECT FROM access_grants g WHERE g.user_id = l.scope AND g.license_id = l.license_id)
    AND NOT EXISTS (SELECT FROM site_tags t JOIN access_grants g ON g.tag_id = t.tag_id
      WHERE t.site_id = l.id AND g.user_id = l.scope)
$$;

CREATE FUNCTION list_new_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  PERFORM list_sites(array_agg(scope), array_agg(NEW.id)) FROM scopes_of_site(NEW.id) AS scope;
  RETURN NULL;
END
$$;

CREATE FUNCTION change_listed_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  IF NEW.archived_at IS NOT NULL THEN
    DELETE FROM listed_sites WHERE id = NEW.id;
  ELSIF OLD.archived_at IS NOT NULL THEN
    PERFORM list_sites(array_agg(scope), array_agg(NEW.id)) FROM scopes_of_site(NEW.id) AS scope;
  ELSE
    UPDATE listed_sites SET license_id = NEW.license_id, name = NEW.name, state = NEW.state,
      pending_total = NEW.pending_total, pending_plugins = NEW.pending_plugins,
      pending_themes = NEW.pending_themes, pending_core = NEW.pending_core
    WHERE id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;

-- As in 0044, and lists the sites.
CREATE OR REPLACE FUNCTION count_granted_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  users bigint[];
  sites_of_users bigint[];
BEGIN
  PERFORM lock_tag_counts();
  PERFORM pg_advisory_xact_lock(24, 1);
  SELECT array_agg(user_id), array_agg(site_id) INTO users, sites_of_users FROM (
    SELECT user_id, site_id FROM changed WHERE site_id IS NOT NULL
    UNION SELECT c.user_id, s.id FROM changed c JOIN sites s ON s.license_id = c.license_id
    UNION SELECT c.user_id, t.site_id FROM changed c JOIN site_tags t ON t.tag_id = c.tag_id) AS affected;
  IF TG_OP = 'INSERT' THEN
    PERFORM list_sites(users, sites_of_users);
  ELSE
    PERFORM unlist_sites(users, sites_of_users);
  END IF;
  PERFORM recount_tags(ARRAY(SELECT DISTINCT user_id FROM changed));
  RETURN NULL;
END
$$;

-- As in 0044, and lists the sites of users with a grant of the tag.
CREATE OR REPLACE FUNCTION count_changed_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  -- The change of a granted tag also shows or hides all other tags of its sites.
  recounted bigint[];
  users bigint[];
  sites_of_users bigint[];
BEGIN
  PERFORM lock_tag_counts();
  SELECT array_agg(g.user_id), array_agg(c.site_id) INTO users, sites_of_users
  FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id;
  recounted := ARRAY(SELECT DISTINCT unnest(users));
  INSERT INTO tag_counts AS t (scope, tag_id, sites)
  SELECT scope, c.tag_id, difference * count(*)
  FROM changed c JOIN sites s ON s.id = c.site_id CROSS JOIN LATERAL scopes_of_site(c.site_id) AS scope
  WHERE s.archived_at IS NULL AND scope <> ALL(recounted)
  GROUP BY scope, c.tag_id
  ON CONFLICT (scope, tag_id) DO UPDATE SET sites = t.sites + excluded.sites;
  IF recounted <> '{}' THEN
    PERFORM pg_advisory_xact_lock(24, 1);
    IF TG_OP = 'INSERT' THEN
      PERFORM list_sites(users, sites_of_users);
    ELSE
      PERFORM unlist_sites(users, sites_of_users);
    END IF;
    PERFORM recount_tags(recounted);
  END IF;
  RETURN NULL;
END
$$;

-- Counts the tags of these users again.
CREATE OR REPLACE FUNCTION recount_tags(users bigint[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM tag_counts WHERE scope = ANY(users);
  INSERT INTO tag_counts (scope, tag_id, sites)
  SELECT l.scope, t.tag_id, count(*) FROM listed_sites l JOIN site_tags t ON t.site_id = l.id
  WHERE l.scope = ANY(users) GROUP BY l.scope, t.tag_id;
$$;

-- All locks in the same order as a change of grants: tags, lists, then licenses.
CREATE OR REPLACE FUNCTION count_archived_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE WHEN NEW.archived_at IS NULL THEN 1 ELSE -1 END;
BEGIN
  PERFORM lock_tag_counts();
  PERFORM share_site_lists();
  INSERT INTO tag_counts AS t (scope, tag_id, sites)
  SELECT scope, st.tag_id, difference
  FROM site_tags st CROSS JOIN scopes_of_site(NEW.id) AS scope WHERE st.site_id = NEW.id
  ON CONFLICT (scope, tag_id) DO UPDATE SET sites = t.sites + excluded.sites;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION track_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  PERFORM store_site_software(NEW.id, NEW.license_id, CASE TG_OP WHEN 'UPDATE' THEN OLD.inventory END, NEW.inventory);
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION remove_tags_of_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_tags WHERE site_id = OLD.id;
  PERFORM share_site_lists();
  DELETE FROM listed_sites WHERE id = OLD.id;
  RETURN OLD;
END
$$;

-- Derives everything again from the sites, their tags and the grants. Other transactions wait. Only the owner of the
-- tables can call it.
CREATE FUNCTION rebuild_listed_sites() RETURNS void LANGUAGE plpgsql AS $$
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
    WHERE s.archived_at IS NULL ORDER BY visible.scope, s.name;
  ALTER TABLE listed_sites ADD PRIMARY KEY (id, scope);
  CREATE INDEX listed_sites_by_name ON listed_sites (scope, name, id);
  CREATE INDEX listed_sites_by_state ON listed_sites (scope, state, name, id);
  CREATE INDEX listed_sites_by_pending ON listed_sites (scope, pending_total, id);
  CREATE INDEX listed_sites_by_license ON listed_sites (scope, license_id, id);
  INSERT INTO tag_counts (scope, tag_id, sites)
    SELECT l.scope, t.tag_id, count(*) FROM listed_sites l JOIN site_tags t ON t.site_id = l.id
    GROUP BY l.scope, t.tag_id;
END
$$;

SELECT rebuild_listed_sites();
ANALYZE listed_sites;

-- With the id, so that the list finds the sites with old reports in the index alone. It replaces sites_by_report_day,
-- which 0047 drops: here, the drop would wait for reports that wait for this migration.
CREATE INDEX sites_by_old_report ON sites (report_day, id) WHERE state = 'reported';

CREATE TRIGGER sites_add_list AFTER INSERT ON sites FOR EACH ROW EXECUTE FUNCTION list_new_site();
CREATE TRIGGER sites_change_list AFTER UPDATE ON sites FOR EACH ROW
  WHEN ((OLD.license_id, OLD.name, OLD.state, OLD.pending_total, OLD.pending_plugins, OLD.pending_themes,
      OLD.pending_core, OLD.archived_at IS NULL)
    IS DISTINCT FROM (NEW.license_id, NEW.name, NEW.state, NEW.pending_total, NEW.pending_plugins, NEW.pending_themes,
      NEW.pending_core, NEW.archived_at IS NULL))
  EXECUTE FUNCTION change_listed_site();
