-- The last entry of the call log of a site that the panel has received. Null: none yet; the panel accepts the first
-- report as the start. An alarm stays until a user dismisses it.
ALTER TABLE sites
  ADD COLUMN call_log_sequence bigint,
  ADD COLUMN call_log_hash     bytea,
  ADD COLUMN call_log_at       timestamptz, -- when the panel received this entry
  ADD COLUMN alarm             text CHECK (alarm IN ('foreign_call', 'log_changed')),
  ADD COLUMN alarm_at          timestamptz,
  ADD COLUMN alarm_route       text,        -- of a foreign call, as the site has logged it
  ADD COLUMN alarm_called_at   timestamptz,
  ADD CONSTRAINT a_call_log_is_whole
    CHECK (num_nonnulls(call_log_sequence, call_log_hash, call_log_at) IN (0, 3)),
  ADD CONSTRAINT an_alarm_says_when CHECK ((alarm IS NULL) = (alarm_at IS NULL));

-- As in 0007, with the alarm first. Dropping the column also drops its indexes.
ALTER TABLE sites DROP COLUMN state;
ALTER TABLE sites
  ADD COLUMN state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
    WHEN alarm IS NOT NULL THEN 'alarm'
    WHEN fault IS NOT NULL THEN fault
    WHEN jsonb_path_exists(inventory, '$.*[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i"))') THEN 'updates'
    WHEN inventory_at IS NULL THEN 'never_synced'
    ELSE 'reported' END) STORED;
CREATE INDEX sites_by_state ON sites (state, name, id);
CREATE INDEX sites_by_report_day ON sites (report_day) WHERE state = 'reported';
