-- How a site stands, as far as its own row can tell: what the last call found wrong, and in one word
-- what the list filters and sorts by. What a license, an activation or the time of day adds to it is
-- looked up when it is read.

-- A report that changes nothing that is listed rewrites its row in place, without touching an index.
ALTER TABLE sites SET (fillfactor = 85);

ALTER TABLE sites
  ADD COLUMN fault        text CHECK (fault IN ('failing', 'not_reachable', 'remote_off')),
  ADD COLUMN fault_code   text,
  ADD COLUMN fault_error  text, -- a sentence for a person
  ADD COLUMN fault_at     timestamptz,
  ADD COLUMN fault_run_id bigint, -- no foreign key: what was found outlives the run
  ADD CONSTRAINT a_fault_says_why
    CHECK (num_nonnulls(fault, fault_code, fault_error, fault_at) IN (0, 4));
ALTER TABLE sites ALTER COLUMN fault_error SET STORAGE MAIN;

-- `reported` is up to date or stale, which only the clock can tell apart. The day is coarse so that its
-- index is written once a day for a site, not with each report.
ALTER TABLE sites
  ADD COLUMN state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
    WHEN fault IS NOT NULL THEN fault
    WHEN jsonb_path_exists(inventory, '$.*[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i"))') THEN 'updates'
    WHEN inventory_at IS NULL THEN 'never_synced'
    ELSE 'reported' END) STORED,
  ADD COLUMN report_day date GENERATED ALWAYS AS ((inventory_at AT TIME ZONE 'UTC')::date) STORED;

CREATE INDEX sites_by_state ON sites (state, name, id);
CREATE INDEX sites_by_report_day ON sites (report_day) WHERE state = 'reported';
DROP INDEX sites_without_report;

-- Licenses that stand in the way of their sites: by index, however many others there are.
CREATE INDEX licenses_not_active ON licenses (id) WHERE status <> 'active';
CREATE INDEX licenses_without_remote ON licenses (id)
  WHERE services IS NOT NULL AND NOT services @> '{remote}';

-- One and two letters of a name, which three-letter groups cannot find. Only ever looked up: to compute
-- them for many sites would take longer than to read all names.
CREATE FUNCTION letter_groups(name text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT array_agg(DISTINCT substr(name, first, length))
  FROM generate_series(1, length(name)) AS first, generate_series(1, 2) AS length
$$;

CREATE INDEX sites_by_letters ON sites USING gin (letter_groups(name));
