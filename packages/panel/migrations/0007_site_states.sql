-- The state of a site, as far as its own row determines it: the fault of the last call, and one word by which lists
-- filter and sort. Queries add the effect of the license, the activation and the time.

-- A report without a change in listed columns updates its row in the same page, without writing an index.
ALTER TABLE sites SET (fillfactor = 85);

ALTER TABLE sites
  ADD COLUMN fault        text CHECK (fault IN ('failing', 'not_reachable', 'remote_off')),
  ADD COLUMN fault_code   text,
  ADD COLUMN fault_error  text, -- a sentence for users
  ADD COLUMN fault_at     timestamptz,
  ADD COLUMN fault_run_id bigint, -- no foreign key: the fault outlives the run
  ADD CONSTRAINT a_fault_says_why
    CHECK (num_nonnulls(fault, fault_code, fault_error, fault_at) IN (0, 4));
ALTER TABLE sites ALTER COLUMN fault_error SET STORAGE MAIN;

-- `reported` is up to date or no contact, depending on the time. `report_day` has no time of day, so that a site writes
-- its index once a day and not with each report.
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

-- Find the licenses because of which the panel may not call their sites, without reading all other licenses.
CREATE INDEX licenses_not_active ON licenses (id) WHERE status <> 'active';
CREATE INDEX licenses_without_remote ON licenses (id)
  WHERE services IS NOT NULL AND NOT services @> '{remote}';

-- The groups of one and two letters of a name, for searches that trigrams do not serve. The high cost keeps the planner
-- from computing them in a query: for many sites, that takes longer than reading all names.
CREATE FUNCTION letter_groups(name text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT array_agg(DISTINCT substr(name, first, length))
  FROM generate_series(1, length(name)) AS first, generate_series(1, 2) AS length
$$;

CREATE INDEX sites_by_letters ON sites USING gin (letter_groups(name));
