-- The number of sites per tag, without archived sites, for each user: docs/decisions/0037-lists-for-managers.md.
-- Triggers derive it from `site_tags`, `access_grants` and `sites.archived_at`, so no code can forget to update it.

-- Scope 0 counts all sites. Every other scope is the id of a user with access grants.
CREATE TABLE tag_counts (
  scope  bigint NOT NULL,
  tag_id bigint NOT NULL,
  sites  integer NOT NULL,
  PRIMARY KEY (scope, tag_id)
);

-- Processes of the version before write this table through the triggers, before the grants that follow all migrations.
DO $$
DECLARE item record;
BEGIN
  FOR item IN
    SELECT acl.privilege_type AS privilege, acl.grantee::regrole::text AS grantee
    FROM pg_class c, aclexplode(c.relacl) acl
    WHERE c.oid = 'site_tags'::regclass AND acl.grantee NOT IN (0, c.relowner)
  LOOP
    EXECUTE format('GRANT %s ON tag_counts TO %s', item.privilege, item.grantee);
  END LOOP;
END
$$;

-- Changes of tags and grants and the archiving of sites wait for each other: each of them reads what the others write,
-- and updates counts in its own order. All of them are rare. Changes of tag grants already used this lock in 0024.
CREATE FUNCTION lock_tag_counts() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(24, 0) $$;

-- Counts the tags of these users again.
CREATE FUNCTION recount_tags(users bigint[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM tag_counts WHERE scope = ANY(users);
  INSERT INTO tag_counts (scope, tag_id, sites)
  SELECT u.id, t.tag_id, count(*)
  FROM unnest(users) AS u (id) CROSS JOIN LATERAL granted_sites(u.id) AS g (site_id)
  JOIN site_tags t ON t.site_id = g.site_id
  WHERE g.site_id NOT IN (SELECT id FROM sites WHERE archived_at IS NOT NULL)
  GROUP BY u.id, t.tag_id;
$$;

-- Who sees a site: scope 0, and each user with a grant on the site, its license or one of its tags.
CREATE FUNCTION scopes_of_site(the_site bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT 0::bigint
  UNION SELECT user_id FROM access_grants WHERE site_id = the_site
  UNION SELECT g.user_id FROM sites s JOIN access_grants g ON g.license_id = s.license_id WHERE s.id = the_site
  UNION SELECT g.user_id FROM site_tags t JOIN access_grants g ON g.tag_id = t.tag_id WHERE t.site_id = the_site
$$;

CREATE FUNCTION count_changed_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  -- The change of a granted tag also shows or hides all other tags of its sites.
  recounted bigint[];
BEGIN
  PERFORM lock_tag_counts();
  recounted := ARRAY(SELECT DISTINCT g.user_id FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id);
  INSERT INTO tag_counts AS t (scope, tag_id, sites)
  SELECT scope, c.tag_id, difference * count(*)
  FROM changed c JOIN sites s ON s.id = c.site_id CROSS JOIN LATERAL scopes_of_site(c.site_id) AS scope
  WHERE s.archived_at IS NULL AND scope <> ALL(recounted)
  GROUP BY scope, c.tag_id
  ON CONFLICT (scope, tag_id) DO UPDATE SET sites = t.sites + excluded.sites;
  IF recounted <> '{}' THEN
    PERFORM recount_tags(recounted);
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION count_granted_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_tag_counts();
  PERFORM recount_tags(ARRAY(SELECT DISTINCT user_id FROM changed));
  RETURN NULL;
END
$$;

CREATE FUNCTION count_archived_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE WHEN NEW.archived_at IS NULL THEN 1 ELSE -1 END;
BEGIN
  PERFORM lock_tag_counts();
  INSERT INTO tag_counts AS t (scope, tag_id, sites)
  SELECT scope, st.tag_id, difference
  FROM site_tags st CROSS JOIN scopes_of_site(NEW.id) AS scope WHERE st.site_id = NEW.id
  ON CONFLICT (scope, tag_id) DO UPDATE SET sites = t.sites + excluded.sites;
  RETURN NULL;
END
$$;

-- The cascade of a deleted site runs when its row, and with it its license, is gone.
CREATE FUNCTION remove_tags_of_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_tags WHERE site_id = OLD.id;
  RETURN OLD;
END
$$;

INSERT INTO tag_counts (scope, tag_id, sites)
  SELECT 0, tag_id, count(*) FROM site_tags
  WHERE site_id NOT IN (SELECT id FROM sites WHERE archived_at IS NOT NULL) GROUP BY tag_id;
SELECT recount_tags(ARRAY(SELECT DISTINCT user_id FROM access_grants));
ANALYZE tag_counts;

-- Triggers run in the order of their names. These run before those of 0018 and 0024, which take the locks of licenses:
-- otherwise a change of a grant and the archiving of a site could deadlock.
CREATE TRIGGER site_tags_add_counts AFTER INSERT ON site_tags REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_tags();
CREATE TRIGGER site_tags_remove_counts AFTER DELETE ON site_tags REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_tags();
CREATE TRIGGER access_grants_add_counts AFTER INSERT ON access_grants REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_tags();
CREATE TRIGGER access_grants_remove_counts AFTER DELETE ON access_grants REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_tags();
CREATE TRIGGER sites_archive_counts AFTER UPDATE OF archived_at ON sites
  FOR EACH ROW WHEN ((OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL)) EXECUTE FUNCTION count_archived_tags();
CREATE TRIGGER sites_remove_counts BEFORE DELETE ON sites
  FOR EACH ROW EXECUTE FUNCTION remove_tags_of_site();
