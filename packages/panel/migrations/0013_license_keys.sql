-- To find out how often the seats of a license have moved lately. Its columns change only when a site
-- is opened or closed, so check-ins still rewrite their rows without touching an index.
CREATE INDEX license_activations_closed ON license_activations (license_id, deactivated_at)
  WHERE status = 'deactivated';

-- A license key can be replaced. The one before is accepted until it ends, on sites that still have it.
ALTER TABLE licenses
  ADD COLUMN old_key_hash bytea UNIQUE,
  ADD COLUMN old_key_last_six text,
  ADD COLUMN old_key_ends_at timestamptz,
  ADD CONSTRAINT licenses_old_key_is_whole
    CHECK (num_nonnulls(old_key_hash, old_key_last_six, old_key_ends_at) IN (0, 3));

-- Set on a site that has a license key which was replaced.
ALTER TABLE license_activations ADD COLUMN key_ends_at timestamptz;

-- A headless site has its endpoints at another host than its pages. The panel calls them there when
-- an owner has approved it.
ALTER TABLE sites
  ADD COLUMN wanted_endpoint_url text, -- reported, and not approved
  ADD COLUMN endpoint_origin text;     -- approved; endpoint_url may have this origin

-- As the site reports it: others than the panel may call it with its key alone.
ALTER TABLE license_activations ADD COLUMN accepts_unsigned_calls boolean NOT NULL DEFAULT false;
