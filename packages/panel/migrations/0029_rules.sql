-- Rules that hold updates back, quarantined versions, and when a version first appeared in the fleet:
-- docs/decisions/0025-rules-and-quarantine.md.

-- Without tag and site, a rule is for all sites. Without a type, it is for all items.
CREATE TABLE update_rules (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tag_id     bigint REFERENCES tags ON DELETE CASCADE,
  site_id    bigint REFERENCES sites ON DELETE CASCADE,
  item_type  text COLLATE "C" CHECK (item_type IN ('plugin', 'theme', 'core')),
  slug       text COLLATE "C",
  aspect     text NOT NULL CHECK (aspect IN ('level', 'wait', 'ignore')),
  level      text CHECK (level IN ('never', 'pin', 'patch', 'minor', 'all')),
  version    text COLLATE "C",
  days       integer CHECK (days BETWEEN 0 AND 365),
  note       text NOT NULL DEFAULT '',
  created_by bigint REFERENCES users,
  created_at timestamptz NOT NULL,
  -- Grows with each change: an owner changes only the revision that they saw.
  revision   integer NOT NULL DEFAULT 1,
  CHECK (num_nonnulls(tag_id, site_id) <= 1),
  CHECK (slug IS NULL OR item_type IS NOT NULL),
  CHECK ((aspect = 'level') = (level IS NOT NULL)),
  CHECK ((aspect = 'wait') = (days IS NOT NULL)),
  CHECK ((aspect = 'ignore' OR coalesce(level = 'pin', false)) = (version IS NOT NULL))
);
-- One level and one wait for the same sites and items. Any number of ignored versions.
CREATE UNIQUE INDEX update_rules_key ON update_rules (
  coalesce(tag_id, 0), coalesce(site_id, 0), coalesce(item_type, ''), coalesce(slug, ''), aspect,
  (CASE aspect WHEN 'ignore' THEN version ELSE '' END));

CREATE TABLE quarantined_versions (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item_type   text COLLATE "C" NOT NULL CHECK (item_type IN ('plugin', 'theme', 'core')),
  slug        text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  version     text COLLATE "C" NOT NULL,
  reason      text NOT NULL,
  created_by  bigint REFERENCES users, -- null: Steward itself
  rollout_id  bigint,                  -- the rollout that found the trouble
  created_at  timestamptz NOT NULL,
  lifted_at   timestamptz,
  lifted_by   bigint REFERENCES users,
  lift_reason text,
  CHECK ((lifted_at IS NULL) = (lift_reason IS NULL))
);
CREATE UNIQUE INDEX quarantined_versions_open ON quarantined_versions (item_type, slug, version)
  WHERE lifted_at IS NULL;

-- What a task does not install, and why: the number of items, and the first of them.
ALTER TABLE run_tasks ADD COLUMN held jsonb;

-- When each version was first installed or offered on a site. Rows stay when the last site removes the software, so
-- that its return does not start a new wait. `id` bounds the table, see below.
CREATE TABLE software_versions (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type          text COLLATE "C" NOT NULL,
  slug          text COLLATE "C" NOT NULL,
  version       text COLLATE "C" NOT NULL,
  first_seen_at timestamptz NOT NULL,
  UNIQUE (type, slug, version)
);

-- For versions that sites have at the time of this migration, the oldest report is the best known time.
WITH installed AS (
  SELECT type, slug, version, min(at) AS at FROM version_history WHERE version IS NOT NULL GROUP BY type, slug, version
), seen AS (
  SELECT software_id, version FROM software_counts WHERE scope = 0
  UNION SELECT software_id, new_version FROM software_counts WHERE scope = 0 AND new_version IS NOT NULL
)
INSERT INTO software_versions (type, slug, version, first_seen_at)
SELECT s.type, s.slug, seen.version, coalesce(installed.at, now())
FROM seen JOIN software s ON s.id = seen.software_id
LEFT JOIN installed ON installed.type = s.type AND installed.slug = s.slug AND installed.version = seen.version;

-- Keeps the last million versions, and older ones only as long as a site has them: a hostile site can report new
-- versions without end. Called once for a thousand new versions.
CREATE FUNCTION delete_old_software_versions(last_id bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM software_versions v WHERE v.id < last_id - 1000000 AND NOT EXISTS (
    SELECT FROM software s JOIN software_counts c ON c.software_id = s.id AND c.scope = 0
    WHERE s.type = v.type AND s.slug = v.slug AND v.version IN (c.version, c.new_version))
$$;

-- Runs only if a combination of installed and offered version is new in the fleet. A report without a change, and a
-- report with a combination that another site has, do not start it. The versions are inserted in the order of the
-- counts, so that concurrent reports cannot deadlock.
CREATE FUNCTION record_software_versions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
BEGIN
  FOR new_id IN
    INSERT INTO software_versions (type, slug, version, first_seen_at)
    SELECT s.type, s.slug, seen.version, now()
    FROM software s, (SELECT NEW.version UNION SELECT NEW.new_version) AS seen (version)
    WHERE s.id = NEW.software_id AND seen.version IS NOT NULL AND NOT EXISTS (
      SELECT FROM software_versions v WHERE v.type = s.type AND v.slug = s.slug AND v.version = seen.version)
    ORDER BY seen.version
    ON CONFLICT DO NOTHING RETURNING id
  LOOP
    IF new_id % 1000 = 0 THEN
      PERFORM delete_old_software_versions(new_id);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER software_counts_record_versions AFTER INSERT ON software_counts
  FOR EACH ROW WHEN (NEW.scope = 0) EXECUTE FUNCTION record_software_versions();

-- As in 0018, now in the order of PHP's version_compare, like compareVersions() of the contract: other words, dev,
-- alpha, beta, rc, the end of the version, a number, pl. Only for sorting: rules compare versions in the contract.
CREATE OR REPLACE FUNCTION version_rank(version text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN version = '' THEN '' ELSE coalesce(string_agg(
    CASE WHEN part ~ '^[0-9]' THEN '6' || lpad(length(ltrim(part, '0'))::text, 2, '0') || ltrim(part, '0')
         WHEN part ~ '^dev' THEN '1' WHEN part ~ '^a' THEN '2' WHEN part ~ '^b' THEN '3'
         WHEN part ~ '^(rc|RC)' THEN '4' WHEN part ~ '^p' THEN '7' ELSE '0' END, '' ORDER BY position), '') || '5' END
  FROM regexp_matches(version, '[0-9]+|[A-Za-z]+', 'g') WITH ORDINALITY AS found (parts, position),
       unnest(parts) AS part
$$;
UPDATE software_counts SET version = version, new_version = new_version
WHERE version_rank <> version_rank(version)
  OR newest_rank <> greatest(version_rank(new_version) COLLATE "C", version_rank(version));
