-- Finds the recent seat moves of a license. Its columns change only when a site connects or disconnects, so check-ins
-- still write no index.
CREATE INDEX license_activations_closed ON license_activations (license_id, deactivated_at)
  WHERE status = 'deactivated';

-- A license key can be replaced. The old key is accepted until it expires, on sites that still use it.
ALTER TABLE licenses
  ADD COLUMN old_key_hash bytea UNIQUE,
  ADD COLUMN old_key_last_six text,
  ADD COLUMN old_key_ends_at timestamptz,
  ADD CONSTRAINT licenses_old_key_is_whole
    CHECK (num_nonnulls(old_key_hash, old_key_last_six, old_key_ends_at) IN (0, 3));

-- When the old key expires on this site. Null: the site does not use an old key.
ALTER TABLE license_activations ADD COLUMN key_ends_at timestamptz;

-- The endpoints of a headless site are on another host than its pages. The panel calls that host after an owner has
-- approved it.
ALTER TABLE sites
  ADD COLUMN wanted_endpoint_url text, -- reported, and not approved
  ADD COLUMN endpoint_origin text;     -- approved; endpoint_url may have this origin

-- As the site reports it: whether it accepts unsigned calls with its site key.
ALTER TABLE license_activations ADD COLUMN accepts_unsigned_calls boolean NOT NULL DEFAULT false;
